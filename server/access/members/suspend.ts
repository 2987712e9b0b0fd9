import { whyNotSuspend } from '#lib/rules/members.ts'
import { MemberOutput, SuspendMemberInput } from '#lib/schemas/members.ts'
import { mutation } from '#server/kernel/operation.ts'
import { suspendMembership } from './end.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/**
 * Suspends a member's access until it is resumed: from the next request, and immediately on open sockets and streams. Sign-ins of the
 * tenant's own realm end for good.
 */
export const suspend = mutation({
  permission: 'member:manage',
  input: SuspendMemberInput,
  output: MemberOutput,
  audit: (input) => ({ action: 'member.suspended', resource: { type: 'member', id: input.id }, reason: input.reason }),
  async run({ tx, tenant, principal, input }) {
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotSuspend(facts))
    await suspendMembership(tx, tenant, member)
    return { member: await memberView(tx, tenant, member.id) }
  },
})
