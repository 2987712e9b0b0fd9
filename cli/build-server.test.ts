import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildServer } from './build-server.mjs'

// The real bundler, on a small tree.

let root: string
const bundle = () => join(root, 'dist/server.mjs')
const record = () => join(root, 'dist/server.json')

/** A source that was written some time ago, as after an installation. */
function write(path: string, text: string, secondsAgo = 60) {
  writeFileSync(join(root, path), text)
  const at = Date.now() / 1000 - secondsAgo
  utimesSync(join(root, path), at, at)
}
const run = () => execFileSync(process.execPath, [bundle()], { encoding: 'utf8' }).trim()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'))
  mkdirSync(join(root, 'server/deep'), { recursive: true })
  write('package.json', '{}')
  write('server/main.ts', `import { said } from './deep/said.ts'\nconsole.log(said)`)
  write('server/deep/said.ts', `export const said: string = 'one'`)
})
afterEach(() => rmSync(root, { recursive: true }))

test('is made once for the same sources, and again after one of them has changed', async () => {
  expect((await buildServer({ root })).pathname).toBe(bundle())
  expect(run()).toBe('one')
  const { mtimeMs } = statSync(bundle())
  await buildServer({ root })
  expect(statSync(bundle()).mtimeMs).toBe(mtimeMs)
  write('server/deep/said.ts', `export const said = 'two'`, 30)
  await buildServer({ root })
  expect(run()).toBe('two')
})

test('does not count as current if a source was changed while it was made', async () => {
  // As late as the end of the build: which of the two texts was read is unknown.
  write('server/deep/said.ts', `export const said = 'late'`, -60)
  await buildServer({ root })
  expect(run()).toBe('late')
  expect(existsSync(record())).toBe(false)
})

test('finds files next to its sources, also after the tree was moved', async () => {
  write('server/deep/words.txt', 'from a file')
  write(
    'server/deep/said.ts',
    `import { readFileSync } from 'node:fs'
     import { join } from 'node:path'
     const words = readFileSync(new URL('words.txt', import.meta.url), 'utf8')
     export const said = words + ', ' + readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')`,
  )
  await buildServer({ root })
  const moved = `${root}-moved`
  renameSync(root, moved)
  root = moved
  expect(run()).toBe('from a file, from a file')
})

test('keeps the names of classes that share one', async () => {
  write('server/deep/other.ts', `export class Session {}\nexport const other = new Session().constructor.name`)
  write(
    'server/deep/said.ts',
    `import { other, Session as First } from './other.ts'
     class Session extends First {}
     export const said = new Session().constructor.name + ' ' + other`,
  )
  await buildServer({ root })
  expect(run()).toBe('Session Session')
})

test('is refused for a source that names its folder in a way that a bundle has not', async () => {
  write('server/deep/said.ts', `export const said = __dirname`)
  await expect(buildServer({ root })).rejects.toThrow('server/deep/said.ts uses __dirname or __filename')
  expect(existsSync(record())).toBe(false)
})
