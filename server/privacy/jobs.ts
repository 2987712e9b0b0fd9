import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { openForTenant } from '#server/kernel/keys/tenant-keys.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { eraseFrom } from '#server/traces/erase.ts'
import { erasureContext, erasureQueue } from './erasure-queue.ts'
import { addErased, findErasure, setErasureCompleted } from './store.ts'

/** Goes through all that is sealed, some spans at a time, each lot in a transaction of its own. */
export const erasures: JobHandler = {
  queue: erasureQueue,
  concurrency: 1,
  async run({ tenantId, id }) {
    const { database } = runtime()
    const subject = await database.inTenant(tenantId, async (tx) => {
      const erasure = await findErasure(tx, tenantId, id)
      if (erasure?.status !== 'pending' || erasure.subject === null) return undefined
      return (await openForTenant(tx, tenantId, erasure.subject, erasureContext(id))).toString()
    })
    if (subject === undefined) return
    let held = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const lot = await database.inTenant(tenantId, async (tx) => {
        const done = await eraseFrom(tx, tenantId, subject, from)
        if (done.values > 0) await addErased(tx, tenantId, id, done)
        return done
      })
      held += lot.held
      after = lot.next
    }
    await database.inTenant(tenantId, async (tx) => {
      const completed = await setErasureCompleted(tx, tenantId, id, held)
      if (completed === undefined) return
      await appendAudit(tx, await tenantById(tx, tenantId), {
        actor: systemActor,
        action: 'erasure.completed',
        resource: { type: 'erasure', id },
        details: { ...completed, heldSpans: held },
      })
    })
  },
}
