import { splitRoles } from '#lib/rules/members.ts'
import { InviteInput, InviteOutput } from '#lib/schemas/members.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { mutation } from '#server/kernel/operation.ts'
import { handOver, withoutLink } from './hand-over.ts'
import { invitePerson } from './invite-person.ts'
import { proposeGrant } from './propose-grant.ts'
import { requirePerson } from './require-person.ts'
import { memberView } from './view.ts'

/**
 * Invites a person. Roles that need an approval are requested; the others apply when the person accepts. Until it is proved that
 * this person controls the account, the caller counts as the same person.
 */
export const invite = mutation({
  permission: 'member:manage',
  input: InviteInput,
  output: InviteOutput,
  showsSecrets: true,
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
            mailed: output.inviteUrl === null,
          }),
    },
  }),
  async run({ tx, tenant, principal, input }) {
    requirePerson(principal, 'invite people')
    requireOwnAccounts('people’s accounts')
    const { immediate, proposed } = splitRoles([], input.roles)
    const account = await invitePerson(tx, tenant, { ...input, roles: immediate })
    const link = await handOver(tx, { tenant, principal }, account, 'invited')
    const person = { ...account, kind: 'person', status: 'invited', roles: immediate }
    const change =
      proposed.length === 0 ? null : await proposeGrant(tx, { tenant, principal }, person, proposed, input.reason)
    return { member: await memberView(tx, tenant, account.id), ...link, change }
  },
})
