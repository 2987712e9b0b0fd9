import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { ceremonySeconds } from './relying-party.ts'
import { insertChallenge, takeChallenge } from './store.ts'

/** Only people have passkeys. */
export function requirePerson(principal: Principal): void {
  if (principal.kind !== 'person') throw new ApiError('forbidden', 'Only people can use passkeys.')
}

/**
 * A new challenge, base64url: SHA-256 over the canonical JSON of its purpose and a nonce. So the device's signature
 * itself proves what the person agreed to.
 */
export async function newChallenge(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  purpose: JsonObject,
): Promise<string> {
  const bound = { ...purpose, nonce: randomBytes(32).toString('base64url') }
  const challenge = createHash('sha256').update(canonicalJson(bound)).digest('base64url')
  const { id: tenantId } = tenant
  await insertChallenge(tx, { tenantId, memberId: principal.memberId, challenge, bound, seconds: ceremonySeconds })
  return challenge
}

/**
 * Uses up the challenge that a device signed, if it was created for `purpose`. Undefined if it was not, or has expired.
 */
export async function spendChallenge(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  clientDataJSON: string,
  purpose: JsonObject,
): Promise<{ challenge: string; bound: JsonObject & { nonce: string } } | undefined> {
  const challenge = challengeIn(clientDataJSON)
  if (challenge === undefined) return undefined
  const row = await takeChallenge(tx, tenant.id, principal.memberId, challenge)
  if (row === undefined) return undefined
  const { nonce, ...made } = row.bound as JsonObject
  if (typeof nonce !== 'string' || canonicalJson(made) !== canonicalJson(purpose)) return undefined
  return { challenge, bound: { ...made, nonce } }
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    const challenge: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'challenge') : undefined
    return typeof challenge === 'string' && challenge.length <= 64 ? challenge : undefined
  } catch {
    // Not sent by a browser: it contains no challenge.
    return undefined
  }
}
