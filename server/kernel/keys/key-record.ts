import { hash, type KeyObject, sign } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type SigningKey, signingKeys } from './signing-keys.ts'

type Named = { id: string; externalId: string }

/**
 * Enters the current key of `purpose` in the tenant's log when it is created (`log_key.created`, `evidence_key.created`): its
 * public key, and the signature of the key before it.
 */
export async function recordKey(tx: Transaction, tenant: Named, purpose: 'evidence' | 'log'): Promise<void> {
  const [key, before] = await signingKeys(tx, tenant.id, purpose)
  if (key === undefined) throw new Error(`The tenant ${tenant.id} does not have a ${purpose} key.`)
  const { publicKey, validFrom, predecessor } = keyEntry(tenant, purpose, key, before)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: `${purpose}_key.created`,
    resource: { type: 'signing_key', id: key.id },
    details: { algorithm: 'Ed25519', publicKey, validFrom, fingerprint: fingerprintOf(key.publicKey), predecessor },
  })
}

/** What a key states, as its predecessor signs it and as archives and log-keys.json show it. */
export function keyEntry(
  tenant: Pick<Named, 'externalId'>,
  purpose: 'evidence' | 'log',
  key: SigningKey,
  before: SigningKey | undefined,
) {
  const stated = {
    tenant: tenant.externalId,
    purpose,
    algorithm: 'Ed25519',
    publicKey: rawKey(key.publicKey).toString('base64'),
    validFrom: key.createdAt.toISOString(),
  }
  return {
    ...stated,
    fingerprint: fingerprintOf(key.publicKey),
    validUntil: key.retiredAt?.toISOString() ?? null,
    predecessor: before === undefined ? null : signedBy(before, stated),
  }
}

const signedBy = (before: SigningKey, stated: JsonObject): JsonObject => ({
  fingerprint: fingerprintOf(before.publicKey),
  signature: sign(null, Buffer.from(`countersign.key.v1\n${canonicalJson(stated)}`), before.privateKey).toString(
    'base64',
  ),
})

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })
const rawKey = (key: KeyObject): Buffer => derOf(key).subarray(-32)
const fingerprintOf = (key: KeyObject): string => `sha256:${hash('sha256', derOf(key), 'hex')}`
