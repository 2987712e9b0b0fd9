import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

/** `path` is empty for the input itself; `value` is undefined for a missing field. */
export type Problem = { path: string; value: JsonValue | undefined; rule: string }

const mostProblems = 10

/**
 * Where a value breaks a schema of the catalog: JSON Schema 2020-12 as far as the catalog uses it. A keyword that is not known
 * here is left to the server.
 */
export function problemsOf(schema: JsonValue | undefined, value: JsonValue, path = ''): Problem[] {
  if (!isJsonObject(schema)) return []
  const alone = withoutNull(schema)
  if (alone !== undefined) return value === null ? [] : problemsOf(alone, value, path)
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return ofChoices(choices, value, path)
  const wrong = ruleBroken(schema, value)
  if (wrong !== undefined) return [{ path: path || 'input', value, rule: wrong }]
  const all = Array.isArray(schema.allOf) ? schema.allOf.flatMap((one) => problemsOf(one, value, path)) : []
  const within = Array.isArray(value)
    ? ofItems(schema, value, path)
    : isJsonObject(value)
      ? ofMembers(schema, value, path)
      : []
  return [...all, ...within].slice(0, mostProblems)
}

/** The schema of a value that may also be null, without null; undefined for any other schema. */
export function withoutNull({ anyOf, oneOf }: JsonObject): JsonObject | undefined {
  const choices = anyOf ?? oneOf
  if (!Array.isArray(choices) || choices.length !== 2) return undefined
  const others = choices.filter((one) => !isJsonObject(one) || one.type !== 'null')
  return others.length === 1 && isJsonObject(others[0]) ? others[0] : undefined
}

function ofChoices(choices: readonly JsonValue[], value: JsonValue, path: string): Problem[] {
  const found = choices.map((choice) => problemsOf(choice, value, path))
  if (found.some((problems) => problems.length === 0)) return []
  // The choice that fits best says most about the mistake: the one whose own type is right.
  const inside = found.find((problems) => problems.every((problem) => problem.path !== (path || 'input')))
  if (inside !== undefined) return inside
  const rules = [...new Set(found.flat().map(({ rule }) => rule))]
  return [{ path: path || 'input', value, rule: rules.length === 1 ? (rules[0] ?? '') : `One of: ${rules.join(' ')}` }]
}

const ofItems = ({ items }: JsonObject, value: readonly JsonValue[], path: string): Problem[] =>
  value.flatMap((one, index) => problemsOf(items, one, `${path}[${index}]`))

function ofMembers(schema: JsonObject, value: JsonObject, path: string): Problem[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const missing = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path: at(name), value: undefined, rule: `Required${expected(properties[name])}` }))
  const wrong = Object.entries(value).flatMap(([name, one]) => {
    if (Object.hasOwn(properties, name)) return problemsOf(properties[name], one, at(name))
    if (schema.additionalProperties === false) return [{ path: at(name), value: one, rule: 'Unknown field.' }]
    return problemsOf(schema.additionalProperties, one, at(name))
  })
  return [...missing, ...wrong]
}

/** What a missing field must be: `, one of a, b.` */
function expected(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return '.'
  const alone = withoutNull(schema)
  if (alone !== undefined) return expected(alone)
  if (Array.isArray(schema.enum)) return `, one of ${schema.enum.join(', ')}.`
  const name = schema.format ?? schema.type
  return typeof name === 'string' ? `, ${article(name)} ${name}.` : '.'
}
const article = (word: string) => (/^[aeio]/.test(word) ? 'an' : 'a')

const patterns: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+$/,
}

/** The first rule of this schema, not of its parts, that the value breaks. */
function ruleBroken(schema: JsonObject, value: JsonValue): string | undefined {
  const { type, enum: allowed, format, pattern } = schema
  if (schema.const !== undefined && value !== schema.const) return `Must be ${JSON.stringify(schema.const)}.`
  if (Array.isArray(allowed) && !allowed.includes(value)) return `Must be one of ${allowed.join(', ')}.`
  if (type !== undefined && ![type].flat().some((one) => isOf(String(one), value)))
    return `Must be ${[type]
      .flat()
      .map((one) => `${article(String(one))} ${one}`)
      .join(' or ')}.`
  if (typeof value === 'string') {
    const known = typeof format === 'string' ? patterns[format] : undefined
    if (known !== undefined && !known.test(value)) return `Must be ${article(String(format))} ${format}.`
    if (known === undefined && typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
      return `Must match ${pattern}.`
    return outside([...value].length, schema.minLength, schema.maxLength, 'characters')
  }
  if (typeof value === 'number') {
    if (typeof schema.exclusiveMinimum === 'number' && value <= schema.exclusiveMinimum)
      return `Must be more than ${schema.exclusiveMinimum}.`
    if (typeof schema.exclusiveMaximum === 'number' && value >= schema.exclusiveMaximum)
      return `Must be less than ${schema.exclusiveMaximum}.`
    return outside(value, schema.minimum, schema.maximum, '')
  }
  return Array.isArray(value) ? outside(value.length, schema.minItems, schema.maxItems, 'items') : undefined
}

function outside(size: number, least: JsonValue | undefined, most: JsonValue | undefined, unit: string) {
  const wrong = (typeof least === 'number' && size < least) || (typeof most === 'number' && size > most)
  if (!wrong) return undefined
  const from = typeof least === 'number' && Number.isSafeInteger(least) ? `at least ${least}` : undefined
  const to = typeof most === 'number' ? `at most ${most}` : undefined
  const range = [from, to].filter((part) => part !== undefined).join(', ')
  return unit === '' ? `Must be ${range}.` : `Must have ${range} ${unit}.`
}

function isOf(type: string, value: JsonValue): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  return typeof value === type
}
