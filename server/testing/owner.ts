import { Client } from 'pg'
import type { Runtime } from '#server/kernel/runtime.ts'
import { until } from './until.ts'

/** Connects to the runtime's database as its owner, who bypasses grants and row-level security. The caller disconnects. */
export async function connectAsOwner({ database }: Pick<Runtime, 'database'>): Promise<Client> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by npm test.')
  const url = new URL(serverUrl)
  url.pathname = new URL(database.url).pathname
  const client = new Client({ connectionString: url.href })
  await client.connect()
  return client
}

/** Runs one statement as the owner, as an intruder with SQL could. Throws if it affects no rows. */
export async function asOwner(
  runtime: Pick<Runtime, 'database'>,
  statement: string,
  values: unknown[] = [],
): Promise<void> {
  const client = await connectAsOwner(runtime)
  try {
    const { rowCount } = await client.query(statement, values)
    if (rowCount === 0) throw new Error(`No rows were affected by: ${statement}`)
  } finally {
    await client.end()
  }
}

/** Resolves when a statement of the service waits for a lock, such as one that `owner` holds. */
export const waitingForLock = (owner: Client): Promise<true> =>
  until(async () => {
    // A transaction sees what it saw first.
    await owner.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await owner.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === 0 ? undefined : true
  }, 'a statement waited for the lock')
