import { whyNotRemove } from '#lib/rules/members.ts'
import { MemberOutput, RemoveMemberInput } from '#lib/schemas/members.ts'
import { deleteRealmUser } from '#server/identity/links/sign-in-links.ts'
import { mutation } from '#server/kernel/operation.ts'
import { endMembership, withdrawChanges } from './end.ts'
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
    await withdrawChanges(tx, tenant, input.id, auditId)
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotRemove(facts))
    await endMembership(tx, tenant, member.id)
    if (facts.kind === 'person' && !facts.isForeign) await deleteRealmUser(tx, tenant.id, member.subject)
    return { member: await memberView(tx, tenant, member.id) }
  },
})
