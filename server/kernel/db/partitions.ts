import { Client } from 'pg'

/** Days for which partitions stand ready: a server that nobody looks after keeps its days apart for this long. */
const daysAhead = 14

/** SQLSTATE check_violation: rows of that day lie in the default partition already, and stay there. */
const rowsInDefault = '23514'

const nameOf = (day: string): string => `spans_${day.replaceAll('-', '')}`

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/**
 * Makes the partitions of `spans` from today (UTC) on for two weeks. Twice does no harm. `client` is the owner's: the
 * application's role can neither make nor drop a table. A busy table is left alone after two seconds: it comes again.
 */
export async function makePartitions(client: Client, today = new Date().toISOString().slice(0, 10)): Promise<void> {
  const known = new Set(await partitionDays(client))
  for (let ahead = 0; ahead <= daysAhead; ahead++) {
    const day = dayAfter(today, ahead)
    if (known.has(day)) continue
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = '2s'`)
      // Attached, not created as one: that would stop all readers of the table.
      await client.query(`create table partitions.${nameOf(day)} (like spans including all)`)
      await client.query(
        `alter table spans attach partition partitions.${nameOf(day)} for values from ('${day}') to ('${dayAfter(day, 1)}')`,
      )
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      if (Reflect.get(Object(error), 'code') !== rowsInDefault) throw error
    }
  }
}

/** Days (YYYY-MM-DD) that have a partition, oldest first. */
export async function partitionDays(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>(
    `select to_char(to_date(substr(relname, 7), 'YYYYMMDD'), 'YYYY-MM-DD') as day
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'partitions' and relname ~ '^spans_[0-9]{8}$' and relkind = 'r' order by 1`,
  )
  return rows.map((row) => row.day)
}

/**
 * Drops the partitions before today that hold no row any more, and those of which `over` says that nobody keeps anything.
 * Gives their days.
 */
export async function dropPartitions(client: Client, over: (day: string) => boolean): Promise<string[]> {
  const today = new Date().toISOString().slice(0, 10)
  const dropped: string[] = []
  for (const day of await partitionDays(client)) {
    if (day >= today) break
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = '2s'`)
      // Nobody writes into a day that is over, but for a trace that goes on: the lock keeps it out.
      await client.query(`lock table partitions.${nameOf(day)} in access exclusive mode`)
      // A partition carries no policies of its own, so this sees every tenant's rows.
      const { rowCount } = await client.query(`select 1 from partitions.${nameOf(day)} limit 1`)
      if (rowCount === 0 || over(day)) {
        await client.query(`drop table partitions.${nameOf(day)}`)
        dropped.push(day)
      }
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }
  return dropped
}

/** Runs `work` on a connection of the owner's own. */
export async function asOwnerOf<T>(ownerUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
