import pg from 'pg'
import type { Log } from '#server/kernel/log.ts'
import { gauge } from '#server/kernel/observe/meters.ts'
import { applicationName } from './application-name.ts'

/** Whose connections a pool has. */
export type PoolUse = 'requests' | 'snapshots' | 'locks' | 'queue'

const connections = gauge(
  'countersign_database_connections',
  'Database connections of the process: used, idle, and how many callers wait for one.',
)

/**
 * A pool whose connections may die at any time: their statements fail, the process continues, and the next connection
 * is new.
 */
export function openPool(url: string, log: Log, use: PoolUse, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName(),
    keepAlive: true,
    // A caller that waits longer for a connection gets 503 instead of hanging.
    connectionTimeoutMillis: 5000,
    // The server ends a statement after a minute (migrate.ts); this covers a server that does not respond at all.
    query_timeout: 70_000,
    ...options,
  })
  // Without a listener an idle connection that dies would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  // The pool does not listen while a connection is in use, and a lost socket would end the process; the running
  // statement fails.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a connection was lost in use')),
  )
  const states = () => [
    { labels: { pool: use, state: 'used' }, value: pool.totalCount - pool.idleCount },
    { labels: { pool: use, state: 'idle' }, value: pool.idleCount },
    { labels: { pool: use, state: 'waited_for' }, value: pool.waitingCount },
  ]
  const stop = connections.from(states)
  const end = pool.end.bind(pool)
  return Object.assign(pool, {
    end: () => {
      stop()
      return end()
    },
  })
}
