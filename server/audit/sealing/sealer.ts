import { brokenLog, raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { insertEmptyDays, type LogOwner, listDaysToSign, listLogOwners } from '#server/audit/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type LogName, sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { recheckTenant } from './recheck.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'

/** From a record's commit to its checkpoint: the same checkpoint covers the records that commit within this time. */
const gatherMs = 500
/** Finds work without a notification: days that are over, and records from before this process listened. */
const sweepMs = 15_000

export type Sealer = { close(): Promise<void> }

/** Signs every tenant's log as it grows, and closes days that are over. Runs in every process; they don't disturb each other. */
export function startSealer(): Sealer {
  const { listener, log } = runtime()
  const gathering = new Map<string, NodeJS.Timeout>()
  let work: Promise<void> = Promise.resolve()
  let checking: Promise<void> | undefined
  let sweeping = false
  let closed = false

  // One tenant after the other: signing must not take the connections that calls need.
  const enqueue = (run: () => Promise<void>) => {
    work = work.then(() => (closed ? undefined : run())).catch(report)
  }
  const report = (error: unknown) =>
    log.error({ err: error }, 'the audit log could not be signed; the sealer will try again')
  const sweep = () => {
    if (sweeping || closed) return
    sweeping = true
    enqueue(async () => {
      try {
        const owners = await runtime().database.inDirectory(listLogOwners)
        for (const { id } of owners) if (!closed) await signTenant(id).catch(report)
        recheck(owners)
      } finally {
        sweeping = false
      }
    })
  }
  // Reading whole days takes long: signing does not wait for it.
  const recheck = (owners: readonly LogOwner[]) => {
    checking ??= (async () => {
      for (const { id } of owners)
        if (!closed)
          await recheckTenant(id).catch((error: unknown) =>
            log.error({ err: error }, 'the recurring check of the log failed'),
          )
      checking = undefined
    })()
  }
  const off = listener.on('audit', '*', (tenantId) => {
    if (tenantId === undefined) return sweep()
    if (closed || gathering.has(tenantId)) return
    const timer = setTimeout(() => {
      gathering.delete(tenantId)
      enqueue(() => signTenant(tenantId))
    }, gatherMs)
    gathering.set(tenantId, timer)
  })
  const interval = setInterval(sweep, sweepMs)
  sweep()

  return {
    async close() {
      closed = true
      off()
      clearInterval(interval)
      for (const timer of gathering.values()) clearTimeout(timer)
      await work
      await checking
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
    await raiseAlarm(tenantId, brokenLog(name, error.message))
  }
  const days = await database.inTenant(tenantId, async (tx) => {
    await insertEmptyDays(tx, tenantId)
    return await listDaysToSign(tx, tenantId)
  })
  for (const { date } of days)
    await database
      .inTenant(tenantId, async (tx) => signDay(tx, await tenantById(tx, tenantId), date))
      .catch((error: unknown) => refused(error, date))
  await database
    .inTenant(tenantId, async (tx) => sealClosedDays(tx, await tenantById(tx, tenantId)))
    .catch((error: unknown) => refused(error, sealLog))
}
