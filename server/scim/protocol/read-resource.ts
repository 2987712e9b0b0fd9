import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { type Attribute, find, type Schema } from '../schemas/attribute.ts'
import { invalidSyntax, invalidValue } from './errors.ts'

/** What a request may contain. Names of people, groups and addresses are far shorter. */
const most = { text: 256, members: 10_000, values: 20 }

/** The attributes of a resource except `id`, `schemas` and `meta`, which the server sets. */
export const attributesOf = ({ attributes }: Schema): readonly Attribute[] =>
  find(attributes, 'externalId') === undefined ? [externalId, ...attributes] : attributes

const externalId: Attribute = {
  name: 'externalId',
  type: 'string',
  multiValued: false,
  description: 'The id of the resource at the provider.',
  required: false,
  caseExact: true,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
}

/**
 * The attributes of a body that a client may write, with their names as the schema spells them. Attributes that the schema does
 * not have, or that are read-only, are left out, as RFC 7644 (sections 3.3 and 3.5.1) allows. Throws 400.
 */
export function readResource(schema: Schema, body: JsonValue): JsonObject {
  if (!isJsonObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const schemas = memberOf(body, 'schemas')
  if (!Array.isArray(schemas) || !schemas.some((one) => isSame(one, schema.id)))
    throw invalidSyntax(`schemas must contain ${schema.id}.`)
  return readAttributes(attributesOf(schema), body, '')
}

export const isSame = (one: unknown, other: string): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()

/** A member by its name in any case. Throws 400 for a name that occurs in two spellings. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  const found = Object.keys(object).filter((key) => isSame(key, name))
  if (found.length > 1) throw invalidSyntax(`${name} occurs more than once.`)
  return found[0] === undefined ? undefined : object[found[0]]
}

/** Returns the writable attributes of an object. An attribute that is null or an empty list is unassigned. */
export function readAttributes(attributes: readonly Attribute[], object: JsonObject, within: string): JsonObject {
  const read: JsonObject = {}
  for (const attribute of attributes) {
    if (attribute.mutability === 'readOnly') continue
    const value = memberOf(object, attribute.name)
    if (value === undefined || value === null) continue
    const given = readValue(attribute, value, `${within}${attribute.name}`)
    if (!isUnassigned(given)) read[attribute.name] = given
  }
  return read
}

export const isUnassigned = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)

/** Reads a value of an attribute. Throws 400 `invalidValue`. */
export function readValue(attribute: Attribute, value: JsonValue, name = attribute.name): JsonValue {
  if (!attribute.multiValued) return readOne(attribute, value, name)
  if (!Array.isArray(value)) throw invalidValue(`${name}: Must be a list.`)
  const limit = attribute.name === 'members' ? most.members : most.values
  if (value.length > limit) throw invalidValue(`${name}: At most ${limit} values.`)
  const read = value.map((one) => readOne(attribute, one, name))
  if (read.filter((one) => isJsonObject(one) && one.primary === true).length > 1)
    throw invalidValue(`${name}: Only one value can be the primary one.`)
  return read
}

function readOne(attribute: Attribute, value: JsonValue, name: string): JsonValue {
  switch (attribute.type) {
    case 'boolean':
      return readBoolean(value, name)
    case 'complex':
      return readComplex(attribute, value, name)
    default:
      return readText(value, name)
  }
}

/** Entra ID sends booleans as the texts "True" and "False". */
function readBoolean(value: JsonValue, name: string): boolean {
  if (typeof value === 'boolean') return value
  if (isSame(value, 'true')) return true
  if (isSame(value, 'false')) return false
  throw invalidValue(`${name}: Must be true or false.`)
}

function readText(value: JsonValue, name: string): string {
  if (typeof value !== 'string') throw invalidValue(`${name}: Must be a text.`)
  if (value.length > most.text) throw invalidValue(`${name}: At most ${most.text} characters.`)
  return value
}

/** A text instead of an object with `value` is how some providers write roles and members. */
function readComplex({ subAttributes = [] }: Attribute, value: JsonValue, name: string): JsonObject {
  const object = typeof value === 'string' && find(subAttributes, 'value') !== undefined ? { value } : value
  if (!isJsonObject(object)) throw invalidValue(`${name}: Must be an object.`)
  return readAttributes(subAttributes, object, `${name}.`)
}
