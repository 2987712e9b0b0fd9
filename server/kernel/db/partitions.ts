import { Client } from 'pg'

/** Number of days for which partitions exist in advance: an unattended server keeps its days separate for this long. */
const daysAhead = 14

/** SQLSTATE check_violation: rows of that day are already in the default partition, and stay there. */
const rowsInDefault = '23514'

const nameOf = (day: string): string => `spans_${day.replaceAll('-', '')}`

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/**
 * Creates the partitions of `spans` from `today` (UTC, by default the database's) for `ahead` days, two weeks by default. Repeating it does
 * no harm. `client` is the owner's: the application's role can neither create nor drop a table. Gives up on a busy table after two seconds; the next run
 * tries again.
 */
export async function makePartitions(client: Client, today?: string, ahead = daysAhead): Promise<void> {
  const known = new Set(await partitionDays(client))
  const first = today ?? (await databaseDay(client))
  for (let later = 0; later <= ahead; later++) {
    const day = dayAfter(first, later)
    if (known.has(day)) continue
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = '2s'`)
      // Attached instead of created as a partition, which would block all readers of the table.
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

/** The day (UTC) of the database's clock. */
async function databaseDay(client: Client): Promise<string> {
  const { rows } = await client.query<{ day: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as day`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: the clock has a row')
  return row.day
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
 * Drops partitions from before `today` (UTC, by the database's clock) that are empty, and those without spans of executions for which `over` returns true because
 * no tenant needs them. Returns their days.
 */
export async function dropPartitions(
  client: Client,
  today: string,
  over: (day: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const dropped: string[] = []
  for (const day of await partitionDays(client)) {
    if (day >= today) break
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = '2s'`)
      // Only a trace that is still running writes to a past day: the lock keeps it out.
      await client.query(`lock table partitions.${nameOf(day)} in access exclusive mode`)
      // A partition does not have policies of its own, so this sees every tenant's rows.
      const { rowCount } = await client.query(`select 1 from partitions.${nameOf(day)} limit 1`)
      // No legal hold may be placed between the check and the drop (lock_holds).
      if (rowCount !== 0) await client.query(`select pg_advisory_xact_lock(hashtextextended('legal holds', 0))`)
      // The log has to say of each span of an execution that it was deleted: its tenant's retention does that.
      const { rowCount: bound } = await client.query(
        `select 1 from partitions.${nameOf(day)} where origin = 'execution' limit 1`,
      )
      if (rowCount === 0 || (bound === 0 && (await over(day)))) {
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

/** Runs `work` on a separate connection of the owner. */
export async function asOwnerOf<T>(ownerUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
