import { ApiError, notFound } from '#lib/errors.ts'
import { whyNotRotate } from '#lib/rules/service-accounts.ts'
import { RotateSecretInput, RotateSecretOutput } from '#lib/schemas/service-accounts.ts'
import { addServiceSecret } from '#server/identity/clients/service-clients.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { tieToMaker } from '#server/tenants/machines.ts'
import { lockServiceAccount } from './account.ts'

/**
 * Gives a service account another secret; its live secrets expire at `notAfter`. From then on, the caller counts as one
 * identity with the account.
 */
export const rotateSecret = mutation({
  permission: 'service-account:manage',
  input: RotateSecretInput,
  output: RotateSecretOutput,
  showsSecrets: true,
  replay: ({ clientSecret: _shownOnce, ...rest }) => rest,
  audit: ({ clientId }, output) => ({
    action: 'service_account.secret_rotated',
    resource: { type: 'service_account', id: clientId },
    details: output && { notAfter: output.notAfter },
  }),
  async run({ tx, tenant, principal, input }) {
    requireOwnAccounts('service accounts')
    const account = await lockServiceAccount(tx, tenant, input.clientId)
    if (account === undefined) throw notFound()
    const blocked = whyNotRotate(account.roles, principal.roles)
    if (blocked !== undefined) throw refuse('forbidden', blocked.message)
    if (account.status === 'disabled')
      throw new ApiError('conflict', 'This service account is disabled. Enable it before you rotate its secret.')
    const wanted = input.notAfter === undefined ? undefined : new Date(input.notAfter)
    const { clientSecret, notAfter } = await addServiceSecret(tx, tenant.id, input.clientId, wanted)
    await tieToMaker(tx, tenant.id, account.id, principal.memberId, 'rotated')
    return { clientId: input.clientId, clientSecret, notAfter: notAfter.toISOString() }
  },
})
