import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { OWNER, ownerPassword } from './cluster.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'
import { findPostmaster, isProcess, type Postmaster } from './pid-file.ts'

/** The application's database in the cluster. */
export const DATABASE = 'countersign'
/**
 * The advisory lock that all attached processes share, in the database `postgres`, where the application takes no
 * locks.
 */
const IN_USE = [0x63_73_67_6e, 1]
const APPLICATION = 'countersign attached '
const POLL_MS = 20
/** How long the sessions of dead processes may take to end. */
const DEAD_SESSIONS_MS = 5_000
const CANNOT_CONNECT_NOW = '57P03'
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Opens a session that marks this process as a user of the server; the operating system ends it with the process.
 * Creates the application's database if missing. Call it under the start lock.
 */
export async function attach(cluster: string, postmaster: Postmaster): Promise<pg.Client> {
  const session = await connect(cluster, postmaster)
  await session.query('select pg_advisory_lock_shared($1, $2)', IN_USE)
  const { rowCount } = await session.query('select from pg_database where datname = $1', [DATABASE])
  if (rowCount === 0) await session.query(`create database ${DATABASE}`)
  return session
}

async function connect(cluster: string, { pid, port }: Postmaster): Promise<pg.Client> {
  const password = await ownerPassword(cluster)
  for (;;) {
    const session = new pg.Client({
      host: '127.0.0.1',
      port,
      user: OWNER,
      password,
      database: 'postgres',
      application_name: APPLICATION + process.pid,
      keepAlive: true,
      connectionTimeoutMillis: 30_000,
    })
    // Without a listener a lost connection would end the process; the 'end' event handles the loss.
    session.on('error', () => undefined)
    try {
      await session.connect()
      return session
    } catch (error) {
      const isRecovering = codeOf(error) === CANNOT_CONNECT_NOW && (await findPostmaster(cluster))?.pid === pid
      if (isRecovering) await wait(POLL_MS)
      else throw refused(error, cluster, port)
    }
  }
}

function refused(error: unknown, cluster: string, port: number | undefined): EmbeddedDatabaseError {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `The PostgreSQL of ${cluster} on port ${port} refused the connection: ${reason}.`
  return new EmbeddedDatabaseError(message, { cause: error })
}

/**
 * Releases the session's share of the lock and returns whether it was the last one. Call it under the start lock, so
 * that no process attaches before the caller acts on the result.
 */
export async function detach(session: pg.Client): Promise<{ isLast: boolean }> {
  try {
    // A session's own share does not block its exclusive lock.
    const { rows } = await session.query('select pg_try_advisory_lock($1, $2) as alone', IN_USE)
    const isLast = rows[0].alone || (await outlivesTheOthers(session))
    // Released now, not when the server notices the end of the session: the next process to detach checks immediately.
    await session.query('select pg_advisory_unlock_all()')
    return { isLast }
  } finally {
    await session.end()
  }
}

/** Whether all other shares belong to dead processes; waits until the server has noticed their deaths. */
async function outlivesTheOthers(session: pg.Client): Promise<boolean> {
  const { rows } = await session.query(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.pid <> pg_backend_pid()`,
    IN_USE,
  )
  if (rows.some(({ name }) => isProcess(Number(name.slice(APPLICATION.length))))) return false
  try {
    await session.query(`set lock_timeout = ${DEAD_SESSIONS_MS}`)
    await session.query('select pg_advisory_lock($1, $2)', IN_USE)
    return true
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}
