import { splitRoles } from '#lib/rules/members.ts'
import { InviteInput, InviteOutput } from '#lib/schemas/members.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { mutation } from '#server/kernel/operation.ts'
import { invitePerson } from './invite-person.ts'
import { handedOver, withoutLink } from './link-notice.ts'
import { proposeGrant } from './propose-grant.ts'
import { memberView } from './view.ts'

/** Invites a person. Roles that need an approval are requested; the others apply when the person accepts. */
export const invite = mutation({
  permission: 'member:manage',
  input: InviteInput,
  output: InviteOutput,
  replay: withoutLink,
  audit: (input, output) => ({
    action: 'member.invited',
    resource: { type: 'member', id: output?.member.id ?? 'none' },
    reason: input.reason,
    details: {
      roles: output?.member.roles ?? [],
      asked: output?.member.pendingRoles ?? [],
      ...(output === undefined
        ? {}
        : {
            username: output.member.username,
            changeId: output.change?.changeId ?? null,
            linkExpiresAt: output.expiresAt,
          }),
    },
  }),
  async run({ tx, tenant, principal, input }) {
    requireOwnAccounts('people’s accounts')
    const { immediate, proposed } = splitRoles([], input.roles)
    const { memberId, username, link } = await invitePerson(tx, tenant, { ...input, roles: immediate })
    const person = {
      id: memberId,
      username,
      displayName: input.displayName,
      kind: 'person',
      status: 'invited',
      roles: immediate,
    }
    const change =
      proposed.length === 0 ? null : await proposeGrant(tx, { tenant, principal }, person, proposed, input.reason)
    return { member: await memberView(tx, tenant, memberId), ...handedOver(link, input.displayName), change }
  },
})
