import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { type LogOwner, listDaysToSign, listLogOwners } from '#server/audit/store.ts'
import { isOnOrdinaryClock } from '#server/kernel/clock/ordinary-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { alone } from './alone.ts'
import { beginKeyed } from './begin-keyed.ts'
import { type LogName, sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { MemoryUnavailable, type SignerMemory } from './memory/signer-memory.ts'
import { type DueLogs, recheckTenant } from './recheck.ts'
import { reportBroken } from './report-broken.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'
import { insertEmptyDays } from './signer-store.ts'
import { knownMemory } from './why-contradicted.ts'

/** From a record's commit to its checkpoint: the same checkpoint covers the records that commit within this time. */
const gatherMs = 500
/** Finds work without a notification: days that are over, and records from before this process listened. */
const roundMs = 15_000
/** After a look for logs to read again, it rests ten times as long as it took, and not longer than this: 8 minutes + 1 < 10. */
const longestRestMs = 60_000
/** A rolling restart takes minutes. After this time each tenant gets an alarm that its log is not signed. */
const longestWaitMs = 30 * 60_000
/** A full disk, or a store that does not answer, raises an alarm of each tenant when it lasts this long. */
const memoryOutageMs = 60_000
/** Sealed days that one round reports as changed. */
const mostReported = 10

const longWait =
  'Nothing was signed for 30 minutes: a process of an older version, or another program under a role of this service, is connected to the database.'

const nothingSigned =
  'Nothing is signed until it can be. The signer tries again every 15 seconds, and records are stored as before.'

export type Sealer = { close(): Promise<void> }

/** Signs every tenant's log as it grows, and closes days that are over. Runs in every worker process; they don't disturb each other. */
export function startSealer(): Sealer {
  const { listener, log, database } = runtime()
  const outages = new Map<string, { since: number; reported: boolean }>()
  let waitingSince: number | undefined
  let waitReported = false
  let closed = false

  const report = (error: unknown) =>
    log.error({ err: error }, 'the audit log could not be signed; the sealer will try again')
  const sign = async (tenantId: string) => {
    try {
      await signTenant(tenantId)
      outages.delete(tenantId)
    } catch (error) {
      if (error instanceof MemoryUnavailable) await reportOutage(tenantId, error)
      throw error
    }
  }
  const reportOutage = async (tenantId: string, { message }: MemoryUnavailable) => {
    const outage = outages.get(tenantId) ?? { since: performance.now(), reported: false }
    outages.set(tenantId, outage)
    if (outage.reported || performance.now() - outage.since < memoryOutageMs) return
    outage.reported = true
    await raiseAlarm(tenantId, { kind: 'signing', subject: 'memory', reason: `${message} ${nothingSigned}` })
  }
  const reportWaiting = async (owners: readonly LogOwner[]) => {
    if (!(await database.inDirectory((tx) => olderProcesses(tx)))) {
      waitingSince = undefined
      waitReported = false
      return
    }
    if (waitingSince === undefined)
      log.warn('signing waits while processes of an older version, which sign too, are connected')
    waitingSince ??= performance.now()
    if (waitReported || performance.now() - waitingSince < longestWaitMs) return
    waitReported = true
    for (const { id } of owners)
      await raiseAlarm(id, { kind: 'signing', subject: 'database', reason: longWait }).catch(report)
  }

  const signAll = async () => {
    const owners = await database.inDirectory(listLogOwners)
    await reportWaiting(owners)
    for (const { id } of owners) if (!closed) await sign(id).catch(report)
  }
  const recheckAll = (logs: DueLogs) => async () => {
    const begun = performance.now()
    for (const { id } of await database.inDirectory(listLogOwners))
      if (!closed)
        await recheckTenant(id, logs).catch((error: unknown) =>
          log.error({ err: error }, 'the recurring check of the log failed'),
        )
    return Math.min(10 * (performance.now() - begun), longestRestMs)
  }
  // Reading whole days takes long: signing does not wait for it, and days that grow do not wait for closed ones.
  const rounds = [signAll, recheckAll('open'), recheckAll('closed')].map((run) => repeat(run, roundMs, report))

  // Neither does a tenant with new records wait for a round: one of many tenants, or of broken logs, may take minutes.
  let work: Promise<void> = Promise.resolve()
  const gathering = new Map<string, NodeJS.Timeout>()
  const signOne = async (tenantId: string) => {
    // The process that fills a demo tenant signs its log.
    const ordinary = await database.inTenant(tenantId, (tx) => isOnOrdinaryClock(tx, tenantId))
    if (ordinary && !closed) await sign(tenantId)
  }
  const off = listener.on('audit', '*', (tenantId) => {
    if (tenantId === undefined) for (const round of rounds) round.begin()
    if (tenantId === undefined || closed || gathering.has(tenantId)) return
    const timer = setTimeout(() => {
      gathering.delete(tenantId)
      // One after the other: signing must not take the connections that calls need.
      work = work.then(() => (closed ? undefined : signOne(tenantId))).catch(report)
    }, gatherMs)
    gathering.set(tenantId, timer)
  })

  return {
    async close() {
      closed = true
      off()
      for (const timer of gathering.values()) clearTimeout(timer)
      await Promise.all([work, ...rounds.map((round) => round.close())])
    },
  }
}

/**
 * Signs the tenant's days that have changed, and adds closed days to the seal log. A log that contradicts its checkpoints is
 * reported and not changed; signing continues with the other days.
 */
export async function signTenant(tenantId: string): Promise<void> {
  const { database } = runtime()
  const refused = async (error: unknown, name: LogName) => {
    if (!(error instanceof LogRefused)) throw error
    await reportBroken(tenantId, name, error)
  }
  const { days, memory } = await database.inTenant(tenantId, async (tx) => {
    const memory = await insertMissingDays(tx, tenantId)
    return { days: await listDaysToSign(tx, tenantId), memory }
  })
  const sealedThrough = memory?.sealedThrough ?? ''
  // Each of them is refused. There may be thousands, if the rows of many days were inserted or deleted.
  const sealedDays = days.filter(({ date }) => date <= sealedThrough).slice(-mostReported)
  for (const { date } of [...sealedDays, ...days.filter((day) => day.date > sealedThrough)])
    await alone(tenantId, async (tx) => signDay(tx, await tenantById(tx, tenantId), date)).catch((error: unknown) =>
      refused(error, date),
    )
  await alone(tenantId, async (tx) => sealClosedDays(tx, await tenantById(tx, tenantId))).catch((error: unknown) =>
    refused(error, sealLog),
  )
  if (memory?.keyedFrom === null)
    await alone(tenantId, async (tx) => beginKeyed(tx, await tenantById(tx, tenantId))).catch((error: unknown) =>
      refused(error, sealLog),
    )
}

/** Inserts the days without records. Returns the signer's memory, as far as it can be believed. */
export async function insertMissingDays(tx: Transaction, tenantId: string): Promise<SignerMemory | undefined> {
  const memory = (await knownMemory(tx, { id: tenantId }).catch(unlessRefused))?.memory
  await insertEmptyDays(tx, tenantId, firstOf(memory))
  return memory
}

/** The days from here on must exist. Undefined without a memory: then all from the tenant's first row. */
function firstOf(memory: SignerMemory | undefined): string | undefined {
  if (memory === undefined) return undefined
  const [firstOpen] = Object.keys(memory.days).sort()
  return memory.sealedThrough ?? firstOpen
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof LogRefused)) throw error
}
