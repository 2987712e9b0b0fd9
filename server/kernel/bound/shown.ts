import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { whyTampered } from './check.ts'
import { camelCase, fieldSalt, hasRightMac, parseExactly, stateDigest, stateOf, stateSalt } from './state.ts'
import type { Compared } from './store.ts'
import { type BoundType, form } from './types.ts'

/** A row that matches its bound state, with everything that someone else needs to recompute it. */
export type ShownState = {
  /** What the record commits to. */
  state: JsonObject
  revision: number
  form: number
  /** Base64url, 32 bytes. */
  salt: string
}

/** The state of a row, or why the row is not the one that the log commits to. */
export function shownState(
  cipher: TenantCipher,
  type: BoundType,
  found: Compared & { row: string },
): ShownState | { tampered: string } {
  const { id, row, bound } = found
  if (bound?.digest != null && bound.form === form && hasRightMac(cipher, type.type, id, bound)) {
    const state = stateOf(cipher, type, id, row)
    const salt = stateSalt(cipher, type.type, id, bound.revision)
    if (stateDigest(salt, state).equals(bound.digest))
      return { state, revision: bound.revision, form: bound.form, salt: salt.toString('base64url') }
  }
  return { tampered: whyTampered(cipher, type, found) ?? 'It was not bound.' }
}

/** The columns of a row as they are stored: names and free text as text. */
export function columnsOf(row: string): JsonObject {
  const columns = parseExactly(row)
  if (!isJsonObject(columns)) throw new Error('unreachable: the row is a JSON object')
  return columns
}

/** The names of the columns that a state contains as commitments with a salt of their own. */
export const committedNames = ({ committed = [] }: BoundType): string[] => committed.map(camelCase)

/** A committed value with its salt. */
export const openField = (
  cipher: TenantCipher,
  { type }: BoundType,
  id: string,
  name: string,
  value: JsonValue,
): { salt: string; value: JsonValue } => ({ salt: fieldSalt(cipher, type, id, name).toString('base64url'), value })
