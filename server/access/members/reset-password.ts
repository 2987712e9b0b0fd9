import { holdsGuardedRole, whyNotResetPassword } from '#lib/rules/members.ts'
import { ResetPasswordInput, ResetPasswordOutput } from '#lib/schemas/members.ts'
import { createSignInLink, lockOut } from '#server/identity/links/sign-in-links.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { mutation } from '#server/kernel/operation.ts'
import { forgetPasskeys } from '#server/passkeys/credentials.ts'
import { endTokens } from '#server/tenants/member-store.ts'
import { passwordResetPresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'
import { spendApproved } from '../changes/store.ts'
import { handedOver, withoutLink } from './link-notice.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/** How long an approved reset can be carried out. */
const hours = 24

/**
 * Creates a new one-time link for a member, who is signed out everywhere and whose password and passkeys stop working.
 * Anyone who has the link can act as that member. So for members with the roles approver, privacy_officer or
 * tenant_admin, change-approvers have to approve first; the same call after the approval returns the link.
 */
export const resetPassword = mutation({
  permission: 'member:manage',
  input: ResetPasswordInput,
  output: ResetPasswordOutput,
  replay: withoutLink,
  audit: (input, output) => ({
    action: output?.change == null ? 'member.password_reset' : 'member.password_reset_asked',
    resource: { type: 'member', id: input.id },
    reason: input.reason,
    details: {
      linkExpiresAt: output?.expiresAt ?? null,
      changeId: output?.change?.changeId ?? null,
      passkeysRemoved: output?.passkeysRemoved ?? 0,
    },
  }),
  async run({ tx, tenant, principal, input }) {
    requireOwnAccounts('passwords')
    const { member, facts } = await lockTarget(tx, { tenant, principal }, input)
    stopWhen(whyNotResetPassword(facts))
    const approved =
      !holdsGuardedRole(member.roles) ||
      (await spendApproved(tx, tenant.id, {
        kind: 'password_reset',
        subjectId: member.id,
        proposedBy: principal.memberId,
        hours,
      })) !== undefined
    if (!approved) {
      const change = await proposeChange(
        tx,
        { tenant, principal },
        {
          kind: 'password_reset',
          subjectId: member.id,
          change: { roles: member.roles },
          presentation: passwordResetPresentation(member, principal.displayName, input.reason),
          parties: [
            {
              memberId: member.id,
              link: 'are the person whose password would be reset',
              role: 'would have its password reset',
            },
          ],
        },
      )
      return {
        member: await memberView(tx, tenant, member.id),
        inviteUrl: null,
        expiresAt: null,
        notice: `Anyone who has this link could decide as ${member.displayName}, so the change approvers have to approve it first. Reset the password again within ${hours} hours of their approval.`,
        change,
        passkeysRemoved: 0,
      }
    }
    await lockOut(tx, tenant.id, member.subject)
    await endTokens(tx, tenant.id, member.id)
    const passkeysRemoved = await forgetPasskeys(tx, tenant, member.id)
    const link = await createSignInLink(tx, tenant, member.subject, 'reset')
    return {
      member: await memberView(tx, tenant, member.id),
      ...handedOver(link, member.displayName),
      change: null,
      passkeysRemoved,
    }
  },
})
