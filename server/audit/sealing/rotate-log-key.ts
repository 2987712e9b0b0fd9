import { currentVerifierKey } from '#server/audit/notes/checkpoint-note.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { recordKey } from '#server/kernel/keys/key-record.ts'
import { rotateSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { sealLog } from './log-name.ts'

/** Creates a new key for the tenant's log. The old one still verifies its signatures. Returns the new verifier key. */
export async function rotateLogKey(tx: Transaction, tenant: LogOwner): Promise<string> {
  await rotateSigningKey(tx, tenant.id, 'log')
  await recordKey(tx, tenant, 'log')
  const verifierKey = await currentVerifierKey(tx, tenant, sealLog)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'log_key.rotated',
    resource: { type: 'tenant', id: tenant.id },
    details: { verifierKey },
  })
  return verifierKey
}
