import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { findRevision } from './revisions/revision-store.ts'
import { type ApprovalRow, lockApproval, setDecided } from './store.ts'
import { tellSubject } from './subjects.ts'

export const expiryQueue = 'approval-expiry'

/** Ends a request that was not decided in time, which counts as a rejection. */
export const expiry: JobHandler = {
  queue: expiryQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const approval = await lockApproval(tx, tenantId, id)
      if (approval === undefined) return
      if (approval.status === 'canceled') return await endWait(tx, tenantId, approval)
      if (approval.status !== 'pending') return
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
      await tellChannels(tx, tenantId, 'approval.expired', id)
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

/** No other arguments were proposed in time after a reviewer requested changes: what waits for them ends. */
async function endWait(tx: Transaction, tenantId: string, approval: NonNullable<ApprovalRow>): Promise<void> {
  const { id, kind, subjectId, expired } = approval
  const revision = await findRevision(tx, tenantId, id)
  if (!expired || revision === undefined || revision.nextId !== null) return
  await tellSubject(kind, tx, await tenantById(tx, tenantId), { id, subjectId, status: 'canceled', deciders: [] })
}
