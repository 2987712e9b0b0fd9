import type { RequestOptions } from '#lib/schemas/passkeys.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { deletePasskeysOf, findCredentials } from './store.ts'

type Credentials = RequestOptions['allowCredentials']

/** The caller's passkeys in the form that a browser needs. */
export async function credentialsOf(tx: Transaction, tenant: Tenant, principal: Principal): Promise<Credentials> {
  const rows = await findCredentials(tx, tenant.id, principal.memberId)
  return rows.map(({ credentialId, transports }) => ({
    id: credentialId,
    type: 'public-key' as const,
    // The column is written only from the same list of names.
    transports: transports as NonNullable<Credentials[number]['transports']>,
  }))
}

/** Whether the person has a passkey to confirm with. */
export const hasPasskey = async (tx: Transaction, tenant: Tenant, principal: Principal): Promise<boolean> =>
  (await findCredentials(tx, tenant.id, principal.memberId)).length > 0

/** Deletes all passkeys when a person's access is reset or ends. Returns their names. */
export const forgetPasskeys = (tx: Transaction, tenant: Tenant, memberId: string): Promise<string[]> =>
  deletePasskeysOf(tx, tenant.id, memberId)
