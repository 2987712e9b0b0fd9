import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { tellExecution } from './listeners.ts'
import { findWait, lockInputs, settleUnmatched, setWait } from './store.ts'

export const waitExpiryQueue = 'input-wait-expiry'

/** Expires a wait that was not answered in time; its manifest determines how the execution continues. */
export const waitExpiry: JobHandler = {
  queue: waitExpiryQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const seen = await findWait(tx, tenantId, id)
      if (seen === undefined) return
      const { executionId, inputName } = seen
      await lockInputs(tx, tenantId, executionId)
      const wait = await findWait(tx, tenantId, id)
      // A parked wait gets another job when its agent is resumed.
      if (wait?.status !== 'open' || wait.parkedAt !== null) return
      // The clocks of the queue and the database may differ slightly: the row decides, and the job is rescheduled.
      if (!wait.over) return await runtime().queue.enqueue(tx, waitExpiryQueue, { tenantId, id }, wait.expiresAt)
      await setWait(tx, tenantId, id, { status: 'expired' })
      const late = await settleUnmatched(tx, tenantId, { executionId, inputName }, 'wait_terminal')
      await tellExecution(tx, tenantId, executionId)
      await appendAudit(tx, await tenantById(tx, tenantId), {
        actor: systemActor,
        action: 'input.wait_expired',
        resource: { type: 'input_wait', id },
        details: { executionId, input: inputName, expiresAt: wait.expiresAt.toISOString(), late: late.length },
      })
    }),
}
