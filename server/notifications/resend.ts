import { ApiError, notFound } from '#lib/errors.ts'
import { ResendInput, ResendOutput } from '#lib/schemas/notifications/channels.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findDelivery, setAgain } from './delivery-store.ts'
import { notificationQueue } from './tell-channels.ts'

/** Sends a dead letter, or one with an unknown outcome, again with the same id. It may have arrived, so only a person does this. */
export const resend = mutation({
  permission: 'tenant:manage',
  input: ResendInput,
  output: ResendOutput,
  audit: ({ id }) => ({ action: 'notification.resent', resource: { type: 'notification', id } }),
  async run({ tx, tenant, principal, input: { id, expectedRevision } }) {
    const row = await findDelivery(tx, tenant.id, id)
    if (row === undefined) throw notFound()
    if (row.delivery === 'unknown' && principal.kind !== 'person')
      throw refuse('person_required', 'It may have arrived, so only a person can send it again.')
    if (row.delivery !== 'failed' && row.delivery !== 'unknown')
      throw new ApiError('conflict', 'Only what failed, or has an unknown outcome, can be sent again.')
    if (!(await setAgain(tx, tenant.id, id, expectedRevision)))
      throw new ApiError('revision_conflict', 'This delivery changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    await runtime().queue.enqueue(tx, notificationQueue, { tenantId: tenant.id, id })
    return { id, delivery: 'pending' as const, revision: expectedRevision + 1 }
  },
})
