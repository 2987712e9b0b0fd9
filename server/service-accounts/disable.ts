import { notFound } from '#lib/errors.ts'
import { ServiceAccountInput, ServiceAccountOutput } from '#lib/schemas/service-accounts.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { mutation } from '#server/kernel/operation.ts'
import { lockServiceAccount, setServiceAccount } from './account.ts'

/**
 * Disables a service account: it gets no new tokens, its existing ones are refused from the next request, and its
 * connection tokens are revoked permanently. Repeating it has no effect.
 */
export const disable = mutation({
  permission: 'service-account:manage',
  input: ServiceAccountInput,
  output: ServiceAccountOutput,
  audit: ({ clientId }) => ({
    action: 'service_account.disabled',
    resource: { type: 'service_account', id: clientId },
  }),
  async run({ tx, tenant, input }) {
    requireOwnAccounts('service accounts')
    const account = await lockServiceAccount(tx, tenant, input.clientId)
    if (account === undefined) throw notFound()
    await setServiceAccount(tx, tenant.id, { id: account.id, clientId: input.clientId }, 'disabled')
    return { clientId: input.clientId, status: 'disabled' as const }
  },
})
