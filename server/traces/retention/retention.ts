import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { removing } from '#server/kernel/content/removing.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { deleteDay, findExpiredDay, hasHolds } from './retention-store.ts'

/** The retention of a tenant's traces. `before` is the first day (YYYY-MM-DD) that is kept; undefined keeps all days. */
export type Limit = { before: string | undefined; held: boolean }

/** The retention of a tenant's traces at `now`, a time of the database's clock. */
export async function retentionLimit(tenantId: string, now: number): Promise<Limit> {
  return await runtime().database.inTenant(tenantId, async (tx) => {
    const { retentionDays } = settingsOf(await tenantById(tx, tenantId))
    const before =
      retentionDays === null ? undefined : new Date(now - retentionDays * 86_400_000).toISOString().slice(0, 10)
    return { before, held: await hasHolds(tx, tenantId) }
  })
}

/** Whether a complete partition may be dropped, because no tenant keeps data of that day. */
export const isOver =
  (limits: readonly Limit[]) =>
  (day: string): boolean =>
    limits.every(({ before, held }) => before !== undefined && day < before && !held)

/**
 * Deletes data that at `now`, a time of the database's clock, is older than the tenant's retention, with a transaction for each day. Keeps
 * data under a legal hold.
 */
export async function purgeTraces(tenantId: string, now: number): Promise<void> {
  const { before } = await retentionLimit(tenantId, now)
  if (before === undefined) return
  const next = () =>
    removing(tenantId, async (tx) => {
      const day = await findExpiredDay(tx, tenantId, before)
      if (day === undefined) return undefined
      const deleted = await deleteDay(tx, tenantId, day)
      await appendAudit(tx, await tenantById(tx, tenantId), {
        actor: systemActor,
        action: 'traces.expired',
        resource: { type: 'trace_day', id: day },
        details: deleted,
      })
      return day
    })
  while ((await next()) !== undefined);
}
