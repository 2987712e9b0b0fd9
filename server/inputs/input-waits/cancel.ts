import { ApiError, notFound } from '#lib/errors.ts'
import { CancelWaitInput, CancelWaitOutput } from '#lib/schemas/inputs.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { tellExecution } from '../listeners.ts'
import { findWait, lockInputs, settleUnmatched, setWait } from '../store.ts'

/** Closes an open wait. Its execution continues with the other waits of the group, or ends as canceled. */
export const cancel = mutation({
  permission: 'input:manage',
  input: CancelWaitInput,
  output: CancelWaitOutput,
  audit: (input) => ({
    action: 'input.wait_canceled',
    resource: { type: 'input_wait', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input }) {
    const seen = await findWait(tx, tenant.id, input.id)
    if (seen === undefined) throw notFound()
    const { executionId, inputName } = seen
    await lockInputs(tx, tenant.id, executionId)
    const wait = await findWait(tx, tenant.id, input.id)
    if (wait?.status !== 'open' || wait.over)
      throw refuse('wait_terminal', `The wait is ${wait?.status === 'open' ? 'expired' : wait?.status}.`, {
        expectedRevision: input.expectedRevision,
      })
    const { expectedRevision } = input
    const revision = await setWait(tx, tenant.id, wait.id, { status: 'canceled', revision: expectedRevision })
    if (revision === undefined)
      throw new ApiError('revision_conflict', 'This wait changed after you opened it. Reload it and try again.', {
        details: { revision: wait.revision },
      })
    await settleUnmatched(tx, tenant.id, { executionId, inputName }, 'wait_terminal')
    await tellExecution(tx, tenant.id, executionId)
    return { id: wait.id, status: 'canceled' as const, revision }
  },
})
