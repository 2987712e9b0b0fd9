import { createHash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { parsePath } from '#lib/rules/mask.ts'
import type { MaskObligation } from './obligations.ts'

/** A copy of the arguments in which the values at masked paths are replaced, so that they never leave the process. */
export function maskedArguments(args: JsonObject, masks: readonly MaskObligation[]): JsonObject {
  return masks.reduce<JsonObject>((value, { paths, method }) => {
    const masked = paths.reduce<JsonValue>((at, path) => replaceAt(at, parsePath(path) ?? [], method), value)
    return isJsonObject(masked) ? masked : value
  }, args)
}

function replaceAt(value: JsonValue, steps: readonly string[], method: MaskObligation['method']): JsonValue {
  const [step, ...rest] = steps
  if (step === undefined) return replacement(value, method)
  if (Array.isArray(value)) return step === '*' ? value.map((inner) => replaceAt(inner, rest, method)) : value
  if (!isJsonObject(value)) return value
  // fromEntries defines own properties, so __proto__ is an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, JsonValue] => [
      key,
      step === '*' || step === key ? replaceAt(inner, rest, method) : inner,
    ]),
  )
}

const shown = 4

function replacement(value: JsonValue, method: MaskObligation['method']): JsonValue {
  // Null carries no information to hide.
  if (value === null) return null
  switch (method) {
    case 'redact':
      return '[redacted]'
    case 'truncate': {
      const text = Array.from(typeof value === 'string' ? value : JSON.stringify(value))
      // The prefix would reveal most of a short value.
      return text.length <= 2 * shown ? '…' : `${text.slice(0, shown).join('')}…`
    }
    case 'hash':
      return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
  }
}
