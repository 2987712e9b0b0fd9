import { ApiError, notFound } from '#lib/errors.ts'
import { whyNotSendAgain } from '#lib/rules/mail.ts'
import { DeliveryStatus, RetryResolutionInput, RetryResolutionOutput } from '#lib/schemas/inputs.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { sendAgain } from '../listeners.ts'
import { findResolution, setRetried } from '../resolution-store.ts'

/**
 * Delivers a resolution again after its delivery failed or its outcome is unknown. A delivery with an unknown outcome may have
 * arrived, so neither the system itself nor a service account repeats it.
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
  async run({ tx, tenant, principal, input }) {
    const resolution = await findResolution(tx, tenant.id, input.id)
    if (resolution === undefined) throw notFound()
    if (resolution.application !== 'not_applied' || !['open', 'matched'].includes(resolution.waitStatus))
      throw refuse('wait_terminal', `The wait is ${resolution.waitStatus}, so this input can no longer be delivered.`)
    if (resolution.revision !== input.expectedRevision) throw changed(resolution.revision)
    const blocked = whyNotSendAgain(DeliveryStatus.parse(resolution.delivery), principal.kind)
    if (blocked !== undefined) throw refuse('machine_decision', blocked)
    const revision = await setRetried(tx, tenant.id, input.id, input.expectedRevision)
    if (revision === undefined) {
      const now = await findResolution(tx, tenant.id, input.id)
      if (now !== undefined && now.revision !== input.expectedRevision) throw changed(now.revision)
      throw refuse(
        'conflict',
        `The delivery is ${resolution.delivery}. Only a failed or unknown delivery can be retried.`,
      )
    }
    await sendAgain(tx, tenant.id, resolution)
    return { id: input.id, delivery: 'pending' as const, revision }
  },
})

const changed = (revision: number) =>
  new ApiError('revision_conflict', 'This resolution changed after you opened it. Reload it and try again.', {
    details: { revision },
  })
