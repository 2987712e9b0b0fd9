import { whyNotRemove } from '#lib/rules/members.ts'
import { MemberOutput, RemoveMemberInput } from '#lib/schemas/members.ts'
import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { revokeTokensOf } from '#server/connection-tokens/revoke-all.ts'
import { deleteRealmUser } from '#server/identity/links/sign-in-links.ts'
import { mutation } from '#server/kernel/operation.ts'
import { forgetPasskeys } from '#server/passkeys/credentials.ts'
import { setMember } from '#server/tenants/member-store.ts'
import { findProposed } from '../changes/store.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/**
 * Ends a membership permanently. The member's row stays, because other records refer to it. The account at
 * Countersign's own provider is deleted, so its user name can be used again, by another person with another subject.
 */
export const remove = mutation({
  permission: 'member:manage',
  input: RemoveMemberInput,
  output: MemberOutput,
  audit: (input) => ({ action: 'member.removed', resource: { type: 'member', id: input.id }, reason: input.reason }),
  async run({ tx, tenant, principal, input, auditId }) {
    // Before locking the member: a decision locks the request first and then the member.
    for (const kind of ['role_grant', 'password_reset'] as const)
      for (const waiting of await findProposed(tx, tenant.id, kind, [input.id]))
        await cancelRequest(tx, tenant, waiting.approvalId, auditId)
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotRemove(facts))
    await setMember(tx, tenant.id, member.id, { status: 'removed' })
    await revokeTokensOf(tx, tenant.id, member.id)
    await forgetPasskeys(tx, tenant, member.id)
    if (facts.kind === 'person' && !facts.isForeign) await deleteRealmUser(tx, tenant.id, member.subject)
    return { member: await memberView(tx, tenant, member.id) }
  },
})
