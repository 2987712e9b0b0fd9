import { sql } from 'kysely'
import { databaseIdentity } from '#server/kernel/db/identity.ts'
import { currentClient } from '#server/kernel/net/client-address.ts'
import { databaseMark, operatorHeader, provenKey } from '#server/kernel/net/operator-proof.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * A clock difference is reported from this size on; an authorization code expires after one minute of the database's
 * clock.
 */
const reportedFromMs = 30_000

/** `aheadSeconds` of the database's clock: negative if this process is behind it. */
export type ClockProblem = { aheadSeconds: number; problem: string }

// Owned by this module: the check that is running. Anyone may ask, so all who ask share its connection and its answer.
let checking: Promise<ClockProblem | undefined> | undefined

/** 200 if the database answers, otherwise 503, so that no traffic is sent here. Also reports a wrong clock, and to the operator what it saw. */
export async function readiness(request?: Request): Promise<Response> {
  const headers = { 'cache-control': 'no-store' }
  try {
    checking ??= checkClock().finally(() => {
      checking = undefined
    })
    const clock = await checking
    return Response.json({ status: 'ready', clock, seen: await seenOf(request) }, { headers })
  } catch (error) {
    runtime().log.warn({ err: error }, 'not ready')
    return Response.json({ status: 'unavailable' }, { status: 503, headers: { ...headers, 'retry-after': '1' } })
  }
}

/** What reached this process of a request that proves to come from the operator (`npm run doctor`). */
async function seenOf(request: Request | undefined) {
  const client = currentClient()
  const { vault, database } = runtime()
  const proof = request?.headers.get(operatorHeader) ?? null
  const key = provenKey(vault.keys, proof, Date.now())
  if (request === undefined || client === undefined || key === undefined) return undefined
  const { rows } = await database.inDirectory((tx) =>
    sql<{ identity: string }>`${sql.raw(databaseIdentity)}`.execute(tx),
  )
  return {
    peer: client.peer.address,
    trusted: client.peer.trusted,
    address: client.address,
    forwarded: request.headers.get('forwarded'),
    xForwardedFor: request.headers.get('x-forwarded-for'),
    database: databaseMark(key, rows[0]?.identity ?? ''),
  }
}

// Owned by this module: whether the clock was last logged as wrong. It is checked often, but logged only on changes.
let logged = false

/**
 * Compares the process's clock with the database's, and logs when it becomes wrong or right again. Throws if the
 * database can't be reached.
 */
export async function checkClock(): Promise<ClockProblem | undefined> {
  const { database, log } = runtime()
  const before = Date.now()
  const { rows } = await database.inDirectory((tx) => sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx))
  const after = Date.now()
  const now = rows[0]?.now.getTime() ?? before
  // The database read its clock at some point during the query: a difference within that interval does not count.
  const aheadMs = now < before ? before - now : now > after ? after - now : 0
  const found = Math.abs(aheadMs) < reportedFromMs ? undefined : problemOf(Math.round(aheadMs / 1000))
  if (found !== undefined && !logged) log.error(found, 'the clock is wrong')
  if (found === undefined && logged) log.info('the clock is right again')
  logged = found !== undefined
  return found
}

const problemOf = (aheadSeconds: number): ClockProblem => ({
  aheadSeconds,
  problem:
    aheadSeconds < 0
      ? `The clock of this process is ${-aheadSeconds} seconds behind the database’s. From one minute on, no one can sign in through this process. Synchronize the clock.`
      : `The clock of this process is ${aheadSeconds} seconds ahead of the database’s. Tokens expire too early here, and other processes reject the tokens that this one issues. Synchronize the clock.`,
})
