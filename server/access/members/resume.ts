import { whyNotResume } from '#lib/rules/members.ts'
import { MemberOutput, ResumeMemberInput } from '#lib/schemas/members.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setMember } from '#server/tenants/member-store.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/** Restores a suspended member's access. */
export const resume = mutation({
  permission: 'member:manage',
  input: ResumeMemberInput,
  output: MemberOutput,
  audit: (input) => ({
    action: 'member.resumed',
    resource: { type: 'member', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, principal, input }) {
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotResume(facts))
    await setMember(tx, tenant.id, member.id, { status: 'active' })
    return { member: await memberView(tx, tenant, member.id) }
  },
})
