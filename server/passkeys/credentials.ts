import type { RequestOptions } from '#lib/schemas/passkeys.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { deletePasskeysOf, findCredentials } from './store.ts'

type Credentials = RequestOptions['allowCredentials']

/** The caller's passkeys as a browser is told of them. */
export async function credentialsOf(tx: Transaction, tenant: Tenant, principal: Principal): Promise<Credentials> {
  const rows = await findCredentials(tx, tenant.id, principal.memberId)
  return rows.map(({ credentialId, transports }) => ({
    id: credentialId,
    type: 'public-key' as const,
    // Written from the same list of names.
    transports: transports as NonNullable<Credentials[number]['transports']>,
  }))
}

/** Whether the person could confirm anything. */
export const hasPasskey = async (tx: Transaction, tenant: Tenant, principal: Principal): Promise<boolean> =>
  (await findCredentials(tx, tenant.id, principal.memberId)).length > 0

/** A person is let in anew, or goes for good: what they confirmed with before counts no more. Gives how many there were. */
export const forgetPasskeys = (tx: Transaction, tenant: Tenant, memberId: string): Promise<number> =>
  deletePasskeysOf(tx, tenant.id, memberId)
