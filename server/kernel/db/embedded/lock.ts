import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'

const SQLITE_BUSY = 5
const POLL_MS = 25
const TELL_AFTER_MS = 3_000

/**
 * Runs `critical` while no other process (or other call in this one) runs under the same lock file. The lock is
 * SQLite's file lock, which the operating system drops when its holder dies; a file with a process id could not
 * distinguish a dead holder from a later process with the same id.
 */
export async function withLock<T>(file: string, say: (line: string) => void, critical: () => Promise<T>): Promise<T> {
  const lock = await acquire(file, say)
  try {
    return await critical()
  } finally {
    lock.close()
  }
}

async function acquire(file: string, say: (line: string) => void): Promise<DatabaseSync> {
  const tellAt = Date.now() + TELL_AFTER_MS
  let told = false
  for (;;) {
    const lock = tryAcquire(file)
    if (lock) return lock
    if (!told && Date.now() > tellAt) {
      say('Waiting for another start or stop of this database to finish.')
      told = true
    }
    await wait(POLL_MS)
  }
}

/** Creates the lock file for this user alone: an account that can read it could block every start. */
function makePrivate(file: string): void {
  try {
    // Never opens an existing file: closing it again would drop a lock that this process may have on it.
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function tryAcquire(file: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    makePrivate(file)
    lock = new DatabaseSync(file, { timeout: 0 })
    // Nothing is ever written, so the lock works on a full disk, too.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    const reason = error instanceof Error ? error.message : String(error)
    // A full disk or a folder without write permission: explained by its code.
    if (error instanceof Error && 'syscall' in error) throw error
    const message = `This user cannot lock ${file} (${reason}). Start as the user who created it, or set another DATA_DIR.`
    throw new EmbeddedDatabaseError(message, { cause: error })
  }
}
