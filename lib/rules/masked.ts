import { isJsonObject, type JsonValue } from '#lib/json.ts'

/** Replaces a masked value: its class and the length of its text, never the value. */
export type Masked = { $masked: { class: string; length: number } }

/** Values that were stored before such names were escaped may have a member of this name, so its content must have the form, too. */
export function isMasked(value: JsonValue | undefined): value is Masked {
  if (!isJsonObject(value) || Object.keys(value).length !== 1 || !Object.hasOwn(value, '$masked')) return false
  const inner = value.$masked
  return (
    isJsonObject(inner) &&
    Object.keys(inner).length === 2 &&
    typeof inner.class === 'string' &&
    Number.isSafeInteger(inner.length)
  )
}
