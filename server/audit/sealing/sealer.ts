import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { type LogOwner, listLogOwners } from '#server/audit/store.ts'
import { isOnOrdinaryClock } from '#server/kernel/clock/ordinary-store.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { openSlots } from '#server/kernel/jobs/slots.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { MemoryUnavailable } from './memory/signer-memory.ts'
import { type DueLogs, recheckTenant } from './recheck.ts'
import { signNewRecords, signTenant } from './sign-tenant.ts'

/** From a record's commit to its checkpoint: the same checkpoint covers the records that commit within this time. */
const gatherMs = 500
/** Finds work without a notification: days that are over, and records from before this process listened. */
const roundMs = 15_000
/**
 * After a look for logs to read again, it rests ten times as long as it took, and not longer than this: what is due after 8 minutes
 * is read within 10.
 */
const longestRestMs = 30_000
/** A rolling restart takes minutes. After this time each tenant gets an alarm that its log is not signed. */
const longestWaitMs = 30 * 60_000
/** A full disk, or a store that does not answer, raises an alarm of each tenant when it lasts this long. */
const memoryOutageMs = 60_000

const longWait =
  'Nothing was signed for 30 minutes: a process of an older version, or another program under a role of this service, is connected to the database.'

const nothingSigned =
  'Nothing is signed until it can be. The signer tries again every 15 seconds, and records are stored as before.'

/** Tenants with new records that are signed at one time: signing must not take the connections that calls need. */
const mostAtOnce = 2

/** A tenant with new records. `again`: more of them came after its signing had begun. */
type Notified = { timer: NodeJS.Timeout; begun: boolean; again: boolean }

export type Sealer = { close(): Promise<void> }

/** Signs every tenant's log as it grows, and closes days that are over. Runs in every worker process; they don't disturb each other. */
export function startSealer(): Sealer {
  const { listener, log, database } = runtime()
  const outages = new Map<string, { since: number; reported: boolean }>()
  let waitingSince: number | undefined
  let waitReported = false
  const closing = new AbortController()
  const { signal } = closing

  const report = (error: unknown) =>
    log.error({ err: error }, 'the audit log could not be signed; the sealer will try again')
  /** Tenants of which the whole log was seen to be in order: their new records are signed by themselves. */
  const settled = new Set<string>()
  const signWhole = async (tenantId: string) => {
    if (await signTenant(tenantId)) settled.add(tenantId)
  }
  const sign = async (tenantId: string, how: (tenantId: string) => Promise<void> = signWhole) => {
    try {
      await how(tenantId)
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
    for (const { id } of owners) if (!signal.aborted) await sign(id).catch(report)
  }
  const recheckAll = (logs: DueLogs) => async () => {
    const begun = performance.now()
    for (const { id } of await database.inDirectory(listLogOwners))
      if (!signal.aborted)
        await recheckTenant(id, logs, signal).catch((error: unknown) => {
          if (error !== signal.reason) log.error({ err: error }, 'the recurring check of the log failed')
        })
    return Math.min(10 * (performance.now() - begun), longestRestMs)
  }
  // Reading whole days takes long: signing does not wait for it, and days that grow do not wait for closed ones.
  const rounds = [signAll, recheckAll('open'), recheckAll('closed')].map((run) => repeat(run, roundMs, report))

  // Neither does a tenant with new records wait for a round, or for a tenant of which the log takes long: of many records, or broken.
  const slots = openSlots(mostAtOnce)
  const notified = new Map<string, Notified>()
  const running = new Set<Promise<void>>()
  const signOne = async (tenantId: string) => {
    if (settled.has(tenantId)) return await sign(tenantId, signNewRecords)
    // The process that fills a demo tenant signs its log.
    const ordinary = await database.inTenant(tenantId, (tx) => isOnOrdinaryClock(tx, tenantId))
    if (ordinary && !signal.aborted) await sign(tenantId)
  }
  const gather = (tenantId: string) => {
    const one: Notified = { timer: setTimeout(() => start(tenantId, one), gatherMs), begun: false, again: false }
    notified.set(tenantId, one)
  }
  const start = (tenantId: string, one: Notified) => {
    const current = slots
      .run(async () => {
        one.begun = true
        if (!signal.aborted) await signOne(tenantId)
      })
      .catch(report)
      .finally(() => {
        running.delete(current)
        notified.delete(tenantId)
        if (one.again && !signal.aborted) gather(tenantId)
      })
    running.add(current)
  }
  const off = listener.on('audit', '*', (tenantId) => {
    if (tenantId === undefined) for (const round of rounds) round.begin()
    if (tenantId === undefined || signal.aborted) return
    const one = notified.get(tenantId)
    if (one === undefined) gather(tenantId)
    else one.again = one.begun
  })

  return {
    async close() {
      closing.abort()
      off()
      for (const { timer } of notified.values()) clearTimeout(timer)
      await Promise.all([...running, ...rounds.map((round) => round.close())])
    },
  }
}
