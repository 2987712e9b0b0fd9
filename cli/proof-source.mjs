import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDERS = ['app', 'bench', 'cli', 'components', 'e2e', 'lib', 'public', 'server']
const FILES = [
  'package.json',
  'package-lock.json',
  'next.config.mjs',
  'playwright.config.ts',
  'tsconfig.json',
  'vitest.config.ts',
]
const SKIPPED = new Set(['node_modules', 'results'])

/** SHA-256 over the path and the content of every file that a suite may run: it changes when a result may change. */
export function digestOfSource(root) {
  const digest = createHash('sha256')
  for (const file of [
    ...FILES.map((name) => join(root, name)),
    ...FOLDERS.flatMap((name) => filesIn(join(root, name))),
  ]) {
    const content = readFileSync(file)
    digest.update(`${relative(root, file)}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}

function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, two) => (one.name < two.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn(path)
    return entry.isFile() ? [path] : []
  })
}
