import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { tellExecution } from './listeners.ts'
import { findWait, lockInputs, settleUnmatched, setWait } from './store.ts'

export const waitExpiryQueue = 'input-wait-expiry'

/** A wait that nobody answered in time ends here; its manifest says what the execution does then. */
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
      // The queue's clock and the row's may differ by a little: the row decides, the job comes again.
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
