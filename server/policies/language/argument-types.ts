import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { cedarString } from './cedar-string.ts'

/** The type of a tool argument in a policy. */
export type ArgumentType =
  | { kind: 'String' | 'Long' | 'Bool' | 'decimal' | 'datetime' | 'ipaddr' }
  | { kind: 'Set'; of: ArgumentType }
  | RecordType

export type RecordType = { kind: 'Record'; members: ReadonlyMap<string, { type: ArgumentType; required: boolean }> }

const deepest = 8
const mostMembers = 500
/** Member names that would turn a JSON record into an entity or extension value, which an argument must never become. */
const reservedNames = new Set(['__entity', '__extn', '__expr'])
const formats: Record<string, 'decimal' | 'datetime' | 'ipaddr'> = {
  decimal: 'decimal',
  'date-time': 'datetime',
  date: 'datetime',
  ipv4: 'ipaddr',
  ipv6: 'ipaddr',
}

/**
 * The type of a tool's arguments, from the JSON Schema of its server (docs/policies.md has the table). A member without a
 * Cedar equivalent is left out, so that no policy can read it: the author gets an error when the policy is checked, rather
 * than a rule that never matches.
 */
export function argumentTypeOf(schema: JsonObject): RecordType {
  const type = new Reader(schema).read(schema, 0, [])
  return type?.kind === 'Record' ? type : { kind: 'Record', members: new Map() }
}

class Reader {
  private readonly root: JsonObject
  private left = mostMembers
  constructor(root: JsonObject) {
    this.root = root
  }

  /** Undefined without an equivalent type in Cedar. `through`: the references followed so far. */
  read(schema: JsonValue | undefined, depth: number, through: readonly string[]): ArgumentType | undefined {
    if (!isJsonObject(schema) || depth > deepest) return undefined
    const own = (key: string): JsonValue | undefined => (Object.hasOwn(schema, key) ? schema[key] : undefined)
    const reference = own('$ref')
    if (typeof reference === 'string') {
      // Cedar does not have recursive types.
      if (through.includes(reference)) return undefined
      return this.read(pointedAt(this.root, reference), depth, [...through, reference])
    }
    for (const union of ['anyOf', 'oneOf', 'allOf'].map(own))
      if (Array.isArray(union) && own('type') === undefined) {
        const types = union.filter((one) => !isNull(one)).map((one) => this.read(one, depth, through))
        const [first] = types
        return first !== undefined && types.every((type) => type !== undefined && typeText(type) === typeText(first))
          ? first
          : undefined
      }
    const values = Object.hasOwn(schema, 'const') ? [schema.const] : own('enum')
    const name = singleType(own('type')) ?? (Array.isArray(values) ? typeOfValues(values) : undefined)
    switch (name) {
      case 'string':
      case 'number': {
        const format = own('format')
        const special = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
        if (name === 'number') return { kind: 'decimal' }
        return { kind: special ?? 'String' }
      }
      case 'integer':
        return { kind: 'Long' }
      case 'boolean':
        return { kind: 'Bool' }
      case 'array': {
        const of = this.read(own('items'), depth + 1, through)
        return of === undefined || own('prefixItems') !== undefined ? undefined : { kind: 'Set', of }
      }
      case 'object':
        return this.record(schema, depth, through)
      default:
        return undefined
    }
  }

  private record(schema: JsonObject, depth: number, through: readonly string[]): RecordType | undefined {
    const properties = Object.hasOwn(schema, 'properties') ? schema.properties : undefined
    if (!isJsonObject(properties)) return depth === 0 ? { kind: 'Record', members: new Map() } : undefined
    const required = Array.isArray(schema.required) ? schema.required : []
    const members = new Map<string, { type: ArgumentType; required: boolean }>()
    for (const [name, property] of Object.entries(properties)) {
      const type = reservedNames.has(name) || this.left <= 0 ? undefined : this.read(property, depth + 1, through)
      if (type === undefined) continue
      this.left -= 1
      members.set(name, { type, required: required.includes(name) && !mayBeNull(property) })
    }
    return { kind: 'Record', members }
  }
}

const isNull = (schema: JsonValue): boolean => isJsonObject(schema) && schema.type === 'null'

/** Cedar does not have null, so an argument that may be null is optional. */
function mayBeNull(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return true
  // References and unions are not resolved here: optional is the weaker assumption.
  if (['$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => Object.hasOwn(schema, key))) return true
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) return true
  return Array.isArray(schema.type) ? schema.type.includes('null') : schema.nullable === true
}

/** The only type that a schema names apart from null. */
function singleType(type: JsonValue | undefined): string | undefined {
  if (typeof type === 'string') return type
  if (!Array.isArray(type)) return undefined
  const names = type.filter((name) => name !== 'null')
  return names.length === 1 && typeof names[0] === 'string' ? names[0] : undefined
}

function typeOfValues(values: readonly (JsonValue | undefined)[]): string | undefined {
  const names = new Set(values.filter((value) => value !== null).map(nameOf))
  const [name] = names
  return names.size === 1 ? name : undefined
}

function nameOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined
}

/** The target of `#/$defs/x` in the same document; undefined for references to other documents. */
export function pointedAt(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith('#/')) return reference === '#' ? root : undefined
  return reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonValue | undefined>(
      (at, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      root,
    )
}

/** The type in Cedar's schema language. */
export function typeText(type: ArgumentType): string {
  switch (type.kind) {
    case 'Set':
      return `Set<${typeText(type.of)}>`
    case 'Record': {
      const members = [...type.members].map(
        ([name, member]) => `${cedarString(name)}${member.required ? '' : '?'}: ${typeText(member.type)}`,
      )
      return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
    }
    default:
      return type.kind
  }
}
