import { load, YAMLException } from 'js-yaml'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { type Position, positionsIn } from './yaml-position.ts'

const { bytes: maxBytes, depth: maxDepth, aliases: maxAliases, values: maxNodes } = wireLimits.manifest

type Path = readonly (string | number)[]
/** An error in a value of the document, with its path. */
class Flaw extends Error {
  readonly path: Path
  constructor(path: Path, message: string) {
    super(message)
    this.path = path
  }
}

const refused = (code: 'invalid_manifest' | 'payload_too_large', message: string, { line, column }: Position) =>
  new ApiError(code, `Line ${line}, column ${column}: ${message}`, {
    issues: [{ path: 'yaml', message, line, column }],
  })

/**
 * Parses a YAML 1.2 document that is a mapping. Throws `invalid_manifest` (400) with line and column from 1, and
 * `payload_too_large` (413). The size is checked before parsing, because even small nested documents can crash a parser.
 */
export function parseYaml(text: string): JsonObject {
  if (Buffer.byteLength(text) > maxBytes)
    throw refused(
      'payload_too_large',
      `A manifest can be up to ${maxBytes} bytes. The limit is reached here.`,
      endOfBytes(text),
    )
  let document: unknown
  try {
    document = load(text, { maxDepth, maxAliases })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw refused('invalid_manifest', 'Not valid YAML.', top)
    const at = error.mark === undefined ? top : { line: error.mark.line + 1, column: error.mark.column + 1 }
    throw refused('invalid_manifest', `${error.reason}.`, at)
  }
  try {
    const value = plain(document, { left: maxNodes }, [])
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof Flaw)) throw error
    throw refused('invalid_manifest', error.message, positionsIn(text)(error.path))
  }
  throw refused('invalid_manifest', 'A manifest must be a mapping (name: value).', top)
}

const top: Position = { line: 1, column: 1 }

function endOfBytes(text: string): Position {
  const lines = Buffer.from(text).subarray(0, maxBytes).toString().split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** The document as plain JSON. Shared nodes are counted at each occurrence, which limits the expansion of aliases. */
function plain(value: unknown, budget: { left: number }, path: Path): JsonValue {
  // Only an alias leads beyond the depth that the parser allows, and one that leads into itself never ends.
  if (path.length > 2 * maxDepth)
    throw new Flaw(path, `Aliases lead more than ${2 * maxDepth} levels deep, or into themselves.`)
  budget.left -= 1
  if (budget.left < 0) throw new Flaw(path, `The manifest expands to more than ${maxNodes} values.`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return storable(value, path)
  if (typeof value === 'number') {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value
    throw new Flaw(path, 'This number is too large to be stored exactly. Write it in quotes.')
  }
  if (Array.isArray(value)) return value.map((inner, index) => plain(inner, budget, [...path, index]))
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]): [string, JsonValue] => [
        storable(key, path),
        plain(inner, budget, [...path, key]),
      ]),
    )
  throw new Flaw(path, 'The manifest contains a value that JSON cannot represent.')
}

/** Rejects characters from YAML escapes that the database cannot store. */
function storable(text: string, path: Path): string {
  if (text.includes('\u0000') || !text.isWellFormed())
    throw new Flaw(path, 'This text contains U+0000 or half of a surrogate pair, which cannot be stored.')
  return text
}
