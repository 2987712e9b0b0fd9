import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { ApiError, type ErrorCode, errorStatus } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import type { Caller } from './auth/principal.ts'
import type { Transaction } from './db/database.ts'
import { findAnswer, insertAnswer } from './idempotency-store.ts'
import { tenantDigest } from './keys/tenant-keys.ts'

/** The stored response: the operation's output, or the error that it committed with. */
export type Given<O> = { output: O } | { error: ApiError }

export type Identity = { caller: Caller; operation: string; key: string; input: unknown; confidential: boolean }

const maxKeyLength = 200

async function fingerprintOf(tx: Transaction, { caller, input, confidential }: Identity): Promise<string> {
  const text = canonicalJson((input ?? null) as JsonValue)
  // A plain digest of a short secret could be guessed by anyone who can read the table.
  return confidential
    ? `hmac-sha256:${await tenantDigest(tx, caller.tenant.id, text)}`
    : `sha256:${createHash('sha256').update(text).digest('hex')}`
}

const address = ({ caller, operation, key }: Identity) => ({
  tenantId: caller.tenant.id,
  memberId: caller.principal.memberId,
  operation,
  key,
})

/**
 * The earlier response for this key, or undefined. Two requests with one key run one after the other. Throws 409 for
 * another body.
 */
export async function answered(tx: Transaction, identity: Identity): Promise<Given<JsonValue> | undefined> {
  const where = address(identity)
  if (where.key === '' || where.key.length > maxKeyLength)
    throw new ApiError('bad_request', `An Idempotency-Key must have 1 to ${maxKeyLength} characters.`)
  await sql`select pg_advisory_xact_lock(hashtextextended(${Object.values(where).join('\n')}, 0))`.execute(tx)
  const row = await findAnswer(tx, where, await fingerprintOf(tx, identity))
  if (row === undefined) return undefined
  if (!row.same)
    throw new ApiError('event_conflict', 'This Idempotency-Key has already been used with another body. Use a new key.')
  if (row.gone)
    throw new ApiError('conflict', 'The response for this Idempotency-Key is no longer stored. Use a new key.')
  return givenOf(row.response)
}

// Outputs are objects, so an array can represent an error.
const KeptError = z.tuple([
  z.literal('error'),
  z.object({
    code: z.custom<ErrorCode>((code) => typeof code === 'string' && code in errorStatus),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
])

function givenOf(response: JsonValue): Given<JsonValue> {
  const kept = KeptError.safeParse(response)
  if (!kept.success) return { output: response }
  const { code, message, details } = kept.data[1]
  return { error: new ApiError(code, message, { details }) }
}

const keptOf = ({ code, message, details }: ApiError) => ({
  code,
  message,
  details,
})

/** Stores the response in the transaction of the operation. */
export async function remember(tx: Transaction, identity: Identity, given: Given<unknown>): Promise<void> {
  const response = 'error' in given ? ['error', keptOf(given.error)] : given.output
  await insertAnswer(tx, {
    ...address(identity),
    fingerprint: await fingerprintOf(tx, identity),
    response: response as JsonValue,
  })
}
