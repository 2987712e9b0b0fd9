import { ApiError, notFound } from '#lib/errors.ts'
import { AcknowledgeResetInput, AcknowledgeResetOutput } from '#lib/schemas/tenants.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setAcknowledged } from './account-link-store.ts'

/** session.acknowledgeReset: the caller has read who reset their password, and when. */
export const acknowledgeReset = mutation({
  permission: 'any',
  input: AcknowledgeResetInput,
  output: AcknowledgeResetOutput,
  audit: ({ id }) => ({ action: 'member.reset_acknowledged', resource: { type: 'account_reset', id } }),
  async run({ tx, tenant, principal, input, repeated }) {
    if (principal.kind !== 'person') throw new ApiError('forbidden', 'Only a person’s account is reset.')
    const outcome = await setAcknowledged(tx, tenant.id, principal, input.id)
    if (outcome === undefined) throw notFound()
    if (outcome === 'before') repeated()
    return { id: input.id }
  },
})
