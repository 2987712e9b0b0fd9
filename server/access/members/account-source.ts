import type { AccountSource } from '#lib/schemas/members.ts'
import { isUseOpen } from '#server/connection-tokens/store.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { realmUrl } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { scimIssuerOf } from '#server/tenants/provider/scim-issuer.ts'

/** Where the accounts of the tenant's people come from. */
export async function accountSource(tx: Transaction, tenant: Tenant): Promise<AccountSource> {
  const found = scimIssuerOf(tenant)
  return {
    provider: runtime().config.identity === 'external' ? realmUrl(tenant.slug) : null,
    scim: 'issuer' in found && (await isUseOpen(tx, tenant.id, 'scim')) ? found.issuer : null,
  }
}
