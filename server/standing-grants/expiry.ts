import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { notify } from '#server/kernel/db/notify.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { findStandingGrant, setGrantEnded } from './store.ts'

export const grantExpiryQueue = 'standing-grant-expiry'

/** active → expired. A use compares the time itself, so that a late job lets nothing run. */
export const grantExpiry: JobHandler = {
  queue: grantExpiryQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const ended = await setGrantEnded(tx, tenantId, id, 'expired')
      if (ended === undefined) {
        const grant = await findStandingGrant(tx, tenantId, id)
        // The clocks of the queue and the database may differ slightly: the row decides.
        if (grant?.status === 'active')
          await runtime().queue.enqueue(tx, grantExpiryQueue, { tenantId, id }, grant.untilAt)
        return
      }
      notify(tx, 'approval', tenantId)
      await appendAudit(tx, await tenantById(tx, tenantId), {
        actor: systemActor,
        action: 'standing_grant.expired',
        resource: { type: 'standing_grant', id },
        details: { uses: ended.uses, of: ended.maxUses },
      })
    }),
}
