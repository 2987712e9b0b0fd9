import { type AuditAct, appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { decryptForTenant } from '#server/kernel/keys/tenant-keys.ts'
import { findLiveValueByName } from './store.ts'
import { valueContext } from './view.ts'

/** Nothing was decrypted or sent. `message` is for the caller. */
export class SecretRefused extends Error {}

/** For whom a value is sent. */
export type SecretSender = {
  actor: AuditAct['actor']
  requestId?: string
  /** Whether the value may also be sent to a destination that it is not bound to: only if a person approved that, or may read it. */
  unbound: 'sent' | 'refused'
}

/** The sender for a release that people have approved, with the addresses and secrets that they read. */
export const ofApprovedRelease = (actor: AuditAct['actor']): SecretSender => ({ actor, unbound: 'sent' })

/**
 * The value of the tenant's live secret with this name, for the server's own use with the origin `destination`; the use is recorded in
 * the audit log first. Throws SecretRefused if it does not exist or may not be sent there. The caller must not keep the value longer
 * than one connection.
 */
export async function useSecretValue(
  tx: Transaction,
  tenant: Tenant,
  name: string,
  { destination, sender }: { destination: string; sender: SecretSender },
): Promise<string> {
  const found = await findLiveValueByName(tx, tenant.id, name)
  if (found === undefined) throw new SecretRefused(`The secret ${name} does not exist or is no longer valid.`)
  const { destinations } = found
  if (destinations === null ? sender.unbound === 'refused' : !destinations.includes(destination))
    throw new SecretRefused(
      `The secret ${name} may not be sent to ${destination}: ask a tenant administrator to add this address to the secret’s destinations.`,
    )
  const value = (await decryptForTenant(tx, tenant.id, found.sealedValue, valueContext(found.id))).toString('utf8')
  await appendAudit(tx, tenant, {
    actor: sender.actor,
    action: 'secret.value_used',
    resource: { type: 'secret', id: found.id },
    details: { name, destination },
    ...(sender.requestId === undefined ? {} : { requestId: sender.requestId }),
  })
  return value
}
