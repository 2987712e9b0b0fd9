import { ApiError, notFound } from '#lib/errors.ts'
import { RetryResolutionInput, RetryResolutionOutput } from '#lib/schemas/inputs.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { sendAgain } from '../listeners.ts'
import { findResolution, setRetried } from '../resolution-store.ts'

/**
 * Delivers once more what failed, or whose outcome nobody knows: the system itself never repeats an unknown one, because
 * it may have arrived.
 */
export const retry = mutation({
  permission: 'input:manage',
  input: RetryResolutionInput,
  output: RetryResolutionOutput,
  audit: (input) => ({
    action: 'input.retried',
    resource: { type: 'input_resolution', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input }) {
    const resolution = await findResolution(tx, tenant.id, input.id)
    if (resolution === undefined) throw notFound()
    if (resolution.application !== 'not_applied' || !['open', 'matched'].includes(resolution.waitStatus))
      throw refuse('wait_terminal', `The wait is ${resolution.waitStatus}; there is nothing to deliver any more.`)
    const revision = await setRetried(tx, tenant.id, input.id, input.expectedRevision)
    if (revision === undefined) {
      const now = await findResolution(tx, tenant.id, input.id)
      if (now !== undefined && now.revision !== input.expectedRevision)
        throw new ApiError('revision_conflict', 'The resolution has changed since you read it.', {
          details: { revision: now.revision },
        })
      throw refuse('conflict', `The delivery is ${resolution.delivery}: only a failed or unknown one is retried.`)
    }
    await sendAgain(tx, tenant.id, resolution)
    return { id: input.id, delivery: 'pending' as const, revision }
  },
})
