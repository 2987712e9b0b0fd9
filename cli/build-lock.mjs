import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5
const LONGEST_WAIT_MS = 10 * 60 * 1000

/**
 * Waits until no other process builds `what` in the tree, and keeps others waiting until `close()`. SQLite's file lock, which the
 * operating system releases when its holder dies. Outside the folders that builds empty.
 */
export async function takeBuildLock(root, what) {
  const folder = join(root, 'node_modules', '.cache')
  await mkdir(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, `countersign-${what}.lock`), { timeout: 0 })
  const take = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
  try {
    lock.exec(take)
  } catch (error) {
    if (error.errcode !== SQLITE_BUSY) throw error
    process.stdout.write(`Another process is building the ${what}. Waiting for it…\n`)
    lock.exec(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`)
    lock.exec(take)
  }
  return lock
}
