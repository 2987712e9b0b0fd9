import { type AuditAct, appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { decryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import { findLiveValueByName } from './store.ts'
import { valueContext } from './view.ts'

/**
 * The value of the tenant's live secret with this name, for the server's own use with `destination`; the use is
 * recorded in the audit log first. Undefined if it does not exist. The caller must not keep the value longer than one
 * connection.
 */
export async function useSecretValue(
  tx: Transaction,
  tenant: Tenant,
  name: string,
  use: { actor: AuditAct['actor']; destination: string },
): Promise<string | undefined> {
  const found = await findLiveValueByName(tx, tenant.id, name)
  if (found === undefined) return undefined
  const value = (await decryptForTenant(tx, tenant.id, found.sealedValue, valueContext(found.id))).toString('utf8')
  await appendAudit(tx, tenant, {
    actor: use.actor,
    action: 'secret.value_used',
    resource: { type: 'secret', id: found.id },
    details: { name, destination: use.destination },
  })
  return value
}
