import { ApiError } from '#lib/errors.ts'
import { clientIdOf, whyNotCreate } from '#lib/rules/service-accounts.ts'
import { CreateServiceAccountInput, CreateServiceAccountOutput } from '#lib/schemas/service-accounts.ts'
import { clientIdTaken } from '#server/identity/clients/service-clients.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { createServiceClient } from '#server/identity/realms/create-realm.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { createMachine } from '#server/tenants/machines.ts'

/** Creates a service account. Only this response contains its secret. */
export const create = mutation({
  permission: 'service-account:manage',
  input: CreateServiceAccountInput,
  output: CreateServiceAccountOutput,
  showsSecrets: true,
  replay: ({ clientSecret: _shownOnce, ...rest }) => rest,
  audit: ({ name, roles }, output) => ({
    action: 'service_account.created',
    resource: { type: 'service_account', id: output?.clientId ?? name },
    details: { name, roles },
  }),
  async run({ tx, tenant, principal, input }) {
    requireOwnAccounts('service accounts')
    const blocked = whyNotCreate(input.roles)
    if (blocked !== undefined) throw refuse('forbidden', blocked.message)
    const roles = [...new Set(input.roles)]
    const clientId = clientIdOf(input.name) || `service-account-${newRandomId().slice(0, 8)}`
    const machine = { kind: 'service_account', username: clientId, displayName: input.name, roles } as const
    const account = { ...machine, issuer: issuerOf(tenant.slug), subject: clientId }
    await createMachine(tx, tenant.id, account, principal.memberId)
    if (await clientIdTaken(tx, tenant.id, clientId))
      throw new ApiError('name_conflict', `A client with the id ${clientId} already exists. Choose another name.`)
    const { clientSecret } = await createServiceClient(tx, tenant, { clientId })
    return { clientId, clientSecret, name: input.name, roles }
  },
})
