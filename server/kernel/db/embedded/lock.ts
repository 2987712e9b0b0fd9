import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'

const SQLITE_BUSY = 5
const POLL_MS = 25
const TELL_AFTER_MS = 3_000

/**
 * Runs `critical` while no other process (or other call in this one) runs under the same lock file.
 * The lock is the file lock that SQLite takes, which the operating system drops when its holder dies;
 * a file with a process id in it could not tell a dead holder from a process that got its id later.
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

/** Creates the lock file for this user alone: who may read it could hold up every start. */
function makePrivate(file: string): void {
  try {
    // Never opens one that exists: closing it again would drop the lock that this process may have on it.
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
    // Nothing is ever written, so the lock works on a full disk too.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    const reason = error instanceof Error ? error.message : String(error)
    // A full disk, a folder that may not be written: explained by its code.
    if (error instanceof Error && 'syscall' in error) throw error
    const message = `This user cannot lock ${file} (${reason}): start as the user who made it, or set another DATA_DIR.`
    throw new EmbeddedDatabaseError(message, { cause: error })
  }
}
