import { sql } from 'kysely'
import { runtime } from '#server/kernel/runtime.ts'

/** From here on a wrong clock is told of; an authorization code ends after a minute of the database's. */
const toldFromMs = 30_000

/** `aheadSeconds` of the database's clock: negative, when this process is behind it. */
export type ClockProblem = { aheadSeconds: number; problem: string }

/** 200 when the database answers, else 503: then no traffic should come here. A wrong clock is told with it. */
export async function readiness(): Promise<Response> {
  const headers = { 'cache-control': 'no-store' }
  try {
    const clock = await checkClock()
    return Response.json({ status: 'ready', clock }, { headers })
  } catch (error) {
    runtime().log.warn({ err: error }, 'not ready')
    return Response.json({ status: 'unavailable' }, { status: 503, headers: { ...headers, 'retry-after': '1' } })
  }
}

// Owned by this module: what was logged of the clock last. It is asked often, and logged when it changes.
let told = false

/** Compares the process's clock with the database's, and logs when it begins or ceases to be wrong. Throws when the database does. */
export async function checkClock(): Promise<ClockProblem | undefined> {
  const { database, log } = runtime()
  const before = Date.now()
  const { rows } = await database.inDirectory((tx) => sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx))
  const after = Date.now()
  const now = rows[0]?.now.getTime() ?? before
  // The database looked at its clock somewhere in between: what can be explained by that is no difference.
  const aheadMs = now < before ? before - now : now > after ? after - now : 0
  const found = Math.abs(aheadMs) < toldFromMs ? undefined : problemOf(Math.round(aheadMs / 1000))
  if (found !== undefined && !told) log.error(found, 'the clock is wrong')
  if (found === undefined && told) log.info('the clock is right again')
  told = found !== undefined
  return found
}

const problemOf = (aheadSeconds: number): ClockProblem => ({
  aheadSeconds,
  problem:
    aheadSeconds < 0
      ? `The clock of this process is ${-aheadSeconds} seconds behind the database’s: when it is a minute or more, nobody can sign in here.`
      : `The clock of this process is ${aheadSeconds} seconds ahead of the database’s: tokens end too early here, and others refuse those that it gives.`,
})
