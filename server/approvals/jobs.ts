import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { lockApproval, setDecided } from './store.ts'
import { tellSubject } from './subjects.ts'

export const expiryQueue = 'approval-expiry'

/** Ends a request that was not decided in time, which counts as a rejection. */
export const expiry: JobHandler = {
  queue: expiryQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const approval = await lockApproval(tx, tenantId, id)
      if (approval === undefined || approval.status !== 'pending') return
      // Its agent is suspended, or a question is open, which stops the clock; the resume schedules another job.
      if (approval.parkedAt !== null || (approval.terms?.pausedAt ?? null) !== null) return
      // The clocks of the queue and the database may differ slightly: the row decides, and the job is rescheduled.
      if (!approval.expired) return await runtime().queue.enqueue(tx, expiryQueue, { tenantId, id }, approval.expiresAt)
      const tenant = await tenantById(tx, tenantId)
      const auditId = newId()
      if (!(await setDecided(tx, tenantId, id, approval.revision, 'expired', auditId))) return
      await tellSubject(approval.kind, tx, tenant, {
        id,
        subjectId: approval.subjectId,
        status: 'expired',
        deciders: [],
      })
      notify(tx, 'approval', tenantId)
      await appendAudit(tx, tenant, {
        auditId,
        actor: systemActor,
        action: 'approval.expired',
        resource: { type: 'approval', id },
        details: { expiresAt: approval.expiresAt.toISOString() },
      })
    }),
}
