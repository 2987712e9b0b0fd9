import type { z } from 'zod'
import type { ServiceAccountStatus } from '#lib/schemas/service-accounts.ts'
import { revokeTokensOf } from '#server/connection-tokens/revoke-all.ts'
import {
  type ServiceClient,
  serviceClients,
  setServiceClientDisabled,
} from '#server/identity/clients/service-clients.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { lockMachine, setMachineStatus } from '#server/tenants/machine-store.ts'

/**
 * Both its membership and its client must be enabled: the membership makes its tokens valid, the client issues new
 * ones.
 */
export const statusOf = (membership: string, client: ServiceClient): z.infer<typeof ServiceAccountStatus> =>
  membership === 'active' && !client.disabled ? 'active' : 'disabled'

/** The service account of the tenant's own realm, locked until `tx` ends; undefined if it does not exist. */
export async function lockServiceAccount(tx: Transaction, tenant: { id: string; slug: string }, clientId: string) {
  const member = await lockMachine(tx, tenant.id, issuerOf(tenant.slug), clientId)
  const client = (await serviceClients(tx, tenant.id, [clientId])).get(clientId)
  if (member === undefined || client === undefined) return undefined
  return { id: member.id, roles: member.roles, status: statusOf(member.status, client) }
}

/**
 * Enables or disables a locked account. A disabled account's tokens are refused from the next request, and its connection
 * tokens are revoked.
 */
export async function setServiceAccount(
  tx: Transaction,
  tenantId: string,
  account: { id: string; clientId: string },
  status: 'active' | 'disabled',
): Promise<void> {
  await setServiceClientDisabled(tx, tenantId, account.clientId, status === 'disabled')
  if (status === 'disabled') await revokeTokensOf(tx, tenantId, account.id)
  await setMachineStatus(tx, tenantId, account.id, status === 'disabled' ? 'suspended' : 'active')
}
