import { load, YAMLException } from 'js-yaml'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

const maxBytes = 64 * 1024
const maxDepth = 50
const maxAliases = 50
const maxNodes = 20_000

const invalid = (message: string, line?: number, column?: number) =>
  new ApiError('invalid_manifest', line === undefined ? message : `Line ${line}, column ${column}: ${message}`, {
    issues: [{ path: 'yaml', message, ...(line === undefined ? {} : { line, column }) }],
  })

/**
 * One YAML 1.2 document whose top is a mapping. Throws `invalid_manifest` (400) with line and column from 1, and
 * `payload_too_large` (413). Bytes are counted before any parser sees them: small nested documents have killed processes.
 */
export function parseYaml(text: string): JsonObject {
  if (Buffer.byteLength(text) > maxBytes)
    throw new ApiError('payload_too_large', `A manifest has at most ${maxBytes} bytes.`)
  let document: unknown
  try {
    document = load(text, { maxDepth, maxAliases })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw invalid('This is not YAML.')
    throw error.mark === undefined
      ? invalid(`${error.reason}.`, 1, 1)
      : invalid(`${error.reason}.`, error.mark.line + 1, error.mark.column + 1)
  }
  const budget = { left: maxNodes }
  const value = plain(document, budget)
  if (!isJsonObject(value)) throw invalid('A manifest is a mapping (name: value).', 1, 1)
  return value
}

/** The document as plain JSON; shared nodes are counted each time they stand, so that aliases can't explode later. */
function plain(value: unknown, budget: { left: number }): JsonValue {
  budget.left -= 1
  if (budget.left < 0) throw invalid(`The manifest expands to more than ${maxNodes} values.`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return storable(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value
    throw invalid('A number is too large to be kept exactly: write it in quotes.')
  }
  if (Array.isArray(value)) return value.map((inner) => plain(inner, budget))
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]): [string, JsonValue] => [storable(key), plain(inner, budget)]),
    )
  throw invalid('The manifest holds a value that JSON does not know.')
}

/** YAML escapes can write what the database can't keep. */
function storable(text: string): string {
  if (text.includes('\u0000') || !text.isWellFormed())
    throw invalid('A text holds U+0000 or half of a surrogate pair, which can not be stored.')
  return text
}
