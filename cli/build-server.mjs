import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takeBuildLock } from './build-lock.mjs'
import { runStep } from './run-step.mjs'
import { stampOf } from './sources.mjs'

const ROOT = join(import.meta.dirname, '..')
/** A process of its own, because the bundler would leave the server with several times its memory. */
const BUNDLER = join(import.meta.dirname, 'bundle.mjs')
/** A file that was changed so shortly before the build may have been read before or after the change. */
const CLOCK_STEP_MS = 50

/**
 * Bundles `entry` with its packages into one file unless the existing one was made from the current files, and returns
 * its address. Loading 2,000 modules would be three quarters of a start. Programs that the server runs as processes or threads
 * get bundles of their own next to it. Two processes never bundle concurrently.
 */
export async function buildServer({ root = ROOT, entry = 'server/main.ts', name = 'server' } = {}) {
  const bundle = join(root, 'dist', `${name}.mjs`)
  const record = join(root, 'dist', `${name}.json`)
  if (isFresh(root, record)) return pathToFileURL(bundle)
  const lock = await takeBuildLock(root, 'server')
  try {
    if (isFresh(root, record)) return pathToFileURL(bundle)
    await mkdir(join(root, 'dist'), { recursive: true })
    await rm(record, { force: true })
    const began = Date.now()
    const { ok, output } = await runStep([BUNDLER, root, entry, join(root, 'dist'), name], { capture: true })
    if (!ok) throw new Error(`The server could not be bundled:\n${output}`)
    const { bundles, files } = JSON.parse(output.slice(output.lastIndexOf('\n')))
    // By renaming: a process that starts in between reads the old file or the new one. The server is the first, so it comes last.
    for (const file of bundles.reverse()) await rename(join(root, 'dist', `${file}.new`), join(root, 'dist', file))
    const last = Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs))
    if (last < began - CLOCK_STEP_MS) await writeFile(record, JSON.stringify({ stamp: stampOf(root, files), files }))
    return pathToFileURL(bundle)
  } finally {
    lock.close()
  }
}

function isFresh(root, record) {
  if (!existsSync(record)) return false
  const { stamp, files } = JSON.parse(readFileSync(record, 'utf8'))
  return stamp === stampOf(root, files)
}
