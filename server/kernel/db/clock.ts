import { sql } from 'kysely'
import { clockBehind, ordinaryTime } from '#server/kernel/clock/process-clock.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Database, Transaction } from './database.ts'

/**
 * One reading of the database's clock, and of the two clocks of this process right after it; `took`: between the question and the answer,
 * the most by which the continued clock can be behind. In milliseconds.
 */
type Reading = { database: number; monotonic: number; wall: number; took: number }

// Owned by this module: the last reading for each database.
const readings = new WeakMap<Database, Reading>()
/** The latest time that was given out: a later reading may be further behind, and time must not go back. */
const latest = new WeakMap<Database, number>()
const readEveryMs = 60_000
/** A reading whose answer was read late, by a busy process, is replaced soon. */
const lateMs = 25
const replaceLateAfterMs = 1000
const mostBackMs = 1000
/** The process was suspended, or its clock was set: the monotonic clock may have missed that time. */
const jumpMs = 500

/**
 * The database's clock (decision 0015), continued by this process's monotonic clock, so that a wrong system clock doesn't
 * matter. It is never ahead of the database's, goes back only if that does, and is behind by as much as this process
 * (clock/process-clock.ts). Costs one statement a minute, and on a busy machine up to one a second.
 */
export async function databaseClock(tx: Transaction): Promise<() => Date> {
  const { database } = runtime()
  const known = readings.get(database)
  const reading = known !== undefined && isFresh(known) ? known : await read(tx)
  readings.set(database, reading)
  return () => {
    const continued = Math.floor(reading.database + performance.now() - reading.monotonic)
    const back = (latest.get(database) ?? 0) - continued
    // By more than that, the database's clock was set.
    const time = back > 0 && back < mostBackMs ? continued + back : continued
    latest.set(database, time)
    return new Date(time - clockBehind())
  }
}

/** The database's clock as it is now, not continued by one of this process: for what is deleted by it. */
export const readDatabaseClock = async (tx: Transaction): Promise<number> => (await read(tx)).database

function isFresh({ monotonic, wall, took }: Reading): boolean {
  const passed = performance.now() - monotonic
  return (
    passed < (took > lateMs ? replaceLateAfterMs : readEveryMs) && Math.abs(ordinaryTime() - wall - passed) < jumpMs
  )
}

async function read(tx: Transaction): Promise<Reading> {
  const asked = performance.now()
  const { rows } = await sql<{ now: Date }>`select pg_catalog.clock_timestamp() as now`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: the clock has a row')
  const monotonic = performance.now()
  return { database: row.now.getTime(), monotonic, wall: ordinaryTime(), took: monotonic - asked }
}
