import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeBuildLock } from './build-lock.mjs'
import { runStep } from './run-step.mjs'
import { stampOf } from './sources.mjs'

const ROOT = join(import.meta.dirname, '..')
/** A file that was changed so shortly before the build may have been read before or after the change. */
const CLOCK_STEP_MS = 50
/** The server serves this file at /cli/countersign.mjs. */
export const COMMAND_LINE = join(ROOT, 'dist', 'countersign.mjs')
const RECORD = join(ROOT, 'dist', 'countersign.json')
const BUNDLER = join(import.meta.dirname, 'bundle-command-line.mjs')

/**
 * Bundles the command line into one file that needs Node 20 and nothing else, unless the existing one was made from the current
 * files: its own, and those of the server, because it contains the server's catalog. The server must have been built.
 */
export async function buildCommandLine() {
  if (isFresh()) return
  const lock = await takeBuildLock(ROOT, 'command-line')
  try {
    if (isFresh()) return
    await mkdir(join(ROOT, 'dist'), { recursive: true })
    await rm(RECORD, { force: true })
    const began = Date.now()
    const { ok, output } = await runStep([BUNDLER, ROOT, `${COMMAND_LINE}.new`], { capture: true })
    if (!ok) throw new Error(`The command line could not be bundled:\n${output}`)
    const files = [...new Set([...output.trim().split('\n'), ...serverFiles()])]
    await rename(`${COMMAND_LINE}.new`, COMMAND_LINE)
    const last = Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs))
    if (last < began - CLOCK_STEP_MS) await writeFile(RECORD, JSON.stringify({ stamp: stampOf(ROOT, files), files }))
  } finally {
    lock.close()
  }
}

/** The files that the server was bundled from; empty if a change during that build left it without a record. */
function serverFiles() {
  const record = join(ROOT, 'dist', 'server.json')
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).files : []
}

function isFresh() {
  if (!existsSync(RECORD) || !existsSync(COMMAND_LINE)) return false
  const { stamp, files } = JSON.parse(readFileSync(RECORD, 'utf8'))
  return stamp === stampOf(ROOT, files)
}
