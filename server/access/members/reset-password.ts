import { z } from 'zod'
import { linkNotice, resetHours } from '#lib/rules/members/link-notice.ts'
import { resetNeedsApproval, whyNotResetPassword } from '#lib/rules/members.ts'
import { ResetPasswordInput, ResetPasswordOutput } from '#lib/schemas/members.ts'
import { lockOut } from '#server/identity/links/sign-in-links.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { forgetPasskeys } from '#server/passkeys/credentials.ts'
import { endTokens, type MemberRow } from '#server/tenants/member-store.ts'
import { passwordResetPresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'
import { spendApproved } from '../changes/store.ts'
import { handOver, withoutLink } from './hand-over.ts'
import { requirePerson } from './require-person.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/**
 * Creates a new one-time link for a member, who is signed out everywhere, whose password and passkeys stop working, and who
 * sees at the next sign-in who did this. Anyone who has the link can act as that member. So for a member with a guarded role
 * or one that the caller lacks, change-approvers have to approve first; the same call after the approval creates the link.
 */
export const resetPassword = mutation({
  permission: 'member:manage',
  input: ResetPasswordInput,
  output: ResetPasswordOutput,
  showsSecrets: true,
  replay: withoutLink,
  audit: (input, output) => ({
    action: output?.change == null ? 'member.password_reset' : 'member.password_reset_asked',
    resource: { type: 'member', id: input.id },
    reason: input.reason,
    details: {
      linkExpiresAt: output?.expiresAt ?? null,
      changeId: output?.change?.changeId ?? null,
      passkeysRemoved: output?.removedPasskeys ?? [],
      ...(output?.expiresAt == null ? {} : { mailed: output.inviteUrl === null }),
    },
  }),
  async run({ tx, tenant, principal, input }) {
    requirePerson(principal, 'reset a password')
    requireOwnAccounts('passwords')
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotResetPassword(facts))
    if (resetNeedsApproval(member, principal.roles) && !(await spend(tx, tenant.id, principal, member)))
      return await propose(tx, { tenant, principal }, member, input.reason)
    await lockOut(tx, tenant.id, member.subject)
    await endTokens(tx, tenant.id, member.id)
    const removedPasskeys = await forgetPasskeys(tx, tenant, member.id)
    const kind = member.status === 'invited' ? 'invited' : 'reset'
    const link = await handOver(tx, { tenant, principal }, member, kind, removedPasskeys)
    return {
      member: await memberView(tx, tenant, member.id),
      ...link,
      change: null,
      passkeysRemoved: removedPasskeys.length,
      removedPasskeys,
    }
  },
})

const Approved = z.object({ roles: z.array(z.string()) })

/** Uses up the caller's approved request. False without one, or if the member has roles by now that it did not show. */
async function spend(tx: Transaction, tenantId: string, principal: Principal, member: MemberRow): Promise<boolean> {
  const approved = await spendApproved(tx, tenantId, {
    kind: 'password_reset',
    subjectId: member.id,
    proposedBy: principal.memberId,
    hours: resetHours,
  })
  if (approved === undefined) return false
  const { roles } = Approved.parse(approved.change)
  return member.roles.every((role) => roles.includes(role))
}

async function propose(
  tx: Transaction,
  caller: { tenant: Tenant; principal: Principal },
  member: MemberRow,
  reason: string | undefined,
) {
  const byMail = runtime().config.smtpUrl !== undefined
  const change = await proposeChange(tx, caller, {
    kind: 'password_reset',
    subjectId: member.id,
    change: { roles: member.roles },
    presentation: passwordResetPresentation(member, caller.principal.displayName, reason, byMail),
    parties: [
      {
        memberId: member.id,
        link: 'are the person whose password would be reset',
        role: 'would have its password reset',
      },
    ],
  })
  return {
    member: await memberView(tx, caller.tenant, member.id),
    inviteUrl: null,
    expiresAt: null,
    notice: linkNotice('needs_approval', member),
    change,
    passkeysRemoved: 0,
    removedPasskeys: [],
  }
}
