import pg from 'pg'
import type { Log } from '#server/kernel/log.ts'

/** A pool whose connections may die at any time: what ran on them fails, the process goes on, the next one connects anew. */
export function openPool(url: string, log: Log, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    keepAlive: true,
    // Whoever waits longer for a connection gets 503 instead of hanging.
    connectionTimeoutMillis: 5000,
    // The server ends a statement after a minute (migrate.ts); this is for one that does not answer at all.
    query_timeout: 70_000,
    ...options,
  })
  // Without a listener an idle connection that dies would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  // While it is in use the pool does not listen, and a lost socket would end the process; the statement under way fails.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a connection was lost in use')),
  )
  return pool
}
