import { ApiError, notFound } from '#lib/errors.ts'
import { RevokeGrantInput, RevokeGrantOutput } from '#lib/schemas/approvals/grants.ts'
import { cancelRequest, holdRequest } from '#server/approvals/cancel-request.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { type MutationContext, mutation, refuse } from '#server/kernel/operation.ts'
import { findStandingGrant, type GrantRow, setGrantDecided, setGrantEnded } from './store.ts'

/** active → revoked, by any reviewer and at once; proposed → withdrawn, by its proposer. */
export const revoke = mutation({
  permission: 'approval:decide',
  input: RevokeGrantInput,
  output: RevokeGrantOutput,
  audit: (input, output) => ({
    action: output?.status === 'withdrawn' ? 'standing_grant.withdrawn' : 'standing_grant.revoked',
    resource: { type: 'standing_grant', id: input.grantId },
    reason: input.reason,
  }),
  async run(context) {
    const { tx, tenant, input } = context
    const grant = await findStandingGrant(tx, tenant.id, input.grantId)
    if (grant === undefined) throw notFound()
    const { expectedStatus = 'either' } = input
    const ended =
      grant.status === 'proposed' && expectedStatus !== 'active' ? await withdraw(context, grant) : undefined
    const revoked =
      ended ?? (expectedStatus === 'proposed' ? undefined : await setGrantEnded(tx, tenant.id, grant.id, 'revoked'))
    if (revoked === undefined) {
      // As it is now: it may have been decided at the same moment.
      const { status } = (await findStandingGrant(tx, tenant.id, grant.id)) ?? grant
      throw new ApiError('conflict', `The standing grant is ${status.replace('_', ' ')}.`)
    }
    notify(tx, 'approval', tenant.id)
    return {
      grantId: grant.id,
      status: ended === undefined ? ('revoked' as const) : ('withdrawn' as const),
      revision: revoked.revision,
    }
  },
})

/** Undefined if it was decided at the same moment. */
async function withdraw({ tx, tenant, principal, auditId }: MutationContext<RevokeGrantInput>, grant: GrantRow) {
  if (grant.proposedBy !== principal.memberId)
    throw refuse('not_eligible', 'Only its proposer can withdraw this proposal. Reject it instead.')
  // In the order of a decision: the request, then its subject.
  await holdRequest(tx, tenant.id, grant.approvalId)
  const withdrawn = await setGrantDecided(tx, tenant.id, grant.id, 'withdrawn', null)
  if (withdrawn !== undefined) await cancelRequest(tx, tenant, grant.approvalId, auditId)
  return withdrawn
}
