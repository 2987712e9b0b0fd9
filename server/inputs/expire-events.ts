import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { expireEvents } from './store.ts'

const batchSize = 500

/** Expires a tenant's events that reached their time to live without a wait. An expired event never matches. */
export async function expireUnmatched(tenantId: string): Promise<void> {
  for (let ended = batchSize; ended === batchSize; )
    ended = await runtime().database.inTenant(tenantId, async (tx) => {
      const ids = await expireEvents(tx, tenantId, batchSize)
      if (ids.length > 0)
        await appendAudit(tx, await tenantById(tx, tenantId), {
          actor: systemActor,
          action: 'input.unmatched_expired',
          resource: { type: 'input_event', id: ids[0] ?? '' },
          details: { receipts: ids },
        })
      return ids.length
    })
}
