import { hash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { BoundType } from './types.ts'

const stateDomain = Buffer.from('agcp.state.v1\n')
const macPurpose = 'bound.state'

/** The last committed state of an object; `digest` is null once it was deleted. */
export type BoundState = {
  form: number
  revision: number
  digest: Buffer | null
  auditId: string
}

export const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Salts depend on the tenant's key and the object only, so that they are not stored and can be given to a reader. */
export const stateSalt = (cipher: TenantCipher, type: string, id: string, revision: number): Buffer =>
  cipher.salt('state', `${type}\n${id}\n${revision}`)

/** The salt of one committed value, the same in every revision of the object. */
export const fieldSalt = (cipher: TenantCipher, type: string, id: string, name: string): Buffer =>
  cipher.salt('state field', `${type}\n${id}\n${name}`)

/**
 * An object's state as a record commits to it, from the row's JSON as the database writes it: names and free text are
 * replaced by base64url(SHA-256(JCS([salt, value]))), so that an archive can show or withhold each of them.
 */
export function stateOf(
  cipher: TenantCipher,
  { type, committed = [] }: BoundType,
  id: string,
  row: string,
): JsonObject {
  const state = parseExactly(row)
  if (!isJsonObject(state)) throw new Error('unreachable: the row is a JSON object')
  for (const name of committed.map(camelCase)) {
    const value = state[name] ?? null
    if (value === null) continue
    const salt = fieldSalt(cipher, type, id, name).toString('base64url')
    state[name] = hash('sha256', canonicalJson([salt, value]), 'base64url')
  }
  return state
}

/** SHA-256("agcp.state.v1\n" ‖ salt ‖ JCS(state)): 32 bytes. */
export const stateDigest = (salt: Buffer, state: JsonObject): Buffer =>
  hash('sha256', Buffer.concat([stateDomain, salt, Buffer.from(canonicalJson(state))]), 'buffer')

/** The digest of a row at a revision of its object. */
export const rowDigest = (cipher: TenantCipher, bound: BoundType, id: string, revision: number, row: string): Buffer =>
  stateDigest(stateSalt(cipher, bound.type, id, revision), stateOf(cipher, bound, id, row))

export const stateMac = (cipher: TenantCipher, type: string, id: string, state: BoundState): Buffer =>
  cipher.mac(macPurpose, keyed(type, id, state))

export const hasRightMac = (
  cipher: TenantCipher,
  type: string,
  id: string,
  state: BoundState & { mac: Buffer },
): boolean => cipher.checkMac(macPurpose, keyed(type, id, state), state.mac)

const keyed = (type: string, id: string, { form, revision, digest, auditId }: BoundState): string =>
  canonicalJson([type, id, form, revision, digest === null ? null : digest.toString('hex'), auditId])

/** Whether a text may contain a number that a double can't represent exactly: one of 16 digits, or with an exponent. */
const mayBeInexact = /\d{16}|(?:^|[\s:,[])-?\d[\d.]*[eE]/

/** Numbers that a double can't represent exactly, such as an integer of 20 digits in a policy's selector, become strings. */
export function parseExactly(text: string): JsonValue {
  const exact = mayBeInexact.test(text)
    ? text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
        token.startsWith('"') || isExact(Number(token)) ? token : JSON.stringify(token),
      )
    : text
  return JSON.parse(exact) as JsonValue
}

const isExact = (number: number): boolean =>
  Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
