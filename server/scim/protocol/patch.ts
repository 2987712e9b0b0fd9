import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Attribute, Schema } from '../schemas/attribute.ts'
import { find } from '../schemas/attribute.ts'
import { invalidPath, invalidSyntax, invalidValue, mutability, noTarget } from './errors.ts'
import type { Filter } from './filter.ts'
import { matches } from './matches.ts'
import { type Path, parsePath } from './path.ts'
import { attributesOf, isSame, isUnassigned, memberOf, readAttributes, readValue } from './read-resource.ts'

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

type Verb = 'add' | 'remove' | 'replace'
const verbs: readonly Verb[] = ['add', 'remove', 'replace']
export type PatchOperation = { verb: Verb; path: Path | undefined; value: JsonValue | undefined }

/** A resource, its schema, and the attributes of RFC 7643 that are accepted for it and not stored. */
export type Patched = { id: string; schema: Schema; unstored: readonly string[]; extensions: readonly string[] }

const mostOperations = 1_000

/** Reads the body of a PATCH. The case of `op` is that of the provider: Entra ID writes "Add". Throws 400. */
export function readPatch(body: JsonValue): PatchOperation[] {
  if (!isJsonObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const schemas = memberOf(body, 'schemas')
  if (!Array.isArray(schemas) || !schemas.some((one) => isSame(one, patchSchema)))
    throw invalidSyntax(`schemas must contain ${patchSchema}.`)
  const operations = memberOf(body, 'Operations')
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > mostOperations)
    throw invalidSyntax(`Operations must be a list of 1 to ${mostOperations} operations.`)
  return operations.map((one) => {
    if (!isJsonObject(one)) throw invalidSyntax('Operations: Each must be an object.')
    const [op, path, value] = [memberOf(one, 'op'), memberOf(one, 'path'), memberOf(one, 'value')]
    const verb = verbs.find((name) => isSame(op, name))
    if (verb === undefined) throw invalidSyntax('op: Must be add, remove or replace.')
    if (path !== undefined && path !== null && typeof path !== 'string') throw invalidPath('path: Must be a text.')
    return { verb, path: typeof path === 'string' && path !== '' ? parsePath(path) : undefined, value }
  })
}

/**
 * The resource after these operations (RFC 7644, section 3.5.2). Throws 400, and then nothing of them applies. An attribute of
 * RFC 7643 that is not stored is accepted without an effect, because a provider sends what its administrator has mapped.
 */
export function applyPatch(patched: Patched, before: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const resource = structuredClone(before)
  for (const { verb, path, value } of operations) {
    if (path !== undefined) applyAt(patched, resource, verb, path, value)
    else if (verb === 'remove') throw noTarget('remove requires a path.')
    else applyMembers(patched, resource, verb, value)
  }
  return resource
}

/** Without a path, each member of the value is an attribute. Entra ID also writes paths as names, and Okta repeats the id. */
function applyMembers(patched: Patched, resource: JsonObject, verb: Verb, value: JsonValue | undefined): void {
  if (!isJsonObject(value)) throw invalidValue('value: Without a path, it must be an object.')
  for (const [name, given] of Object.entries(value)) {
    if (isSame(name, 'id') && given === patched.id) continue
    if (isSame(name, patched.schema.id)) applyMembers(patched, resource, verb, given)
    else if (!isSame(name, 'schemas') && !isExtension(patched, name))
      applyAt(patched, resource, verb, parsePath(name), given)
  }
}

const isExtension = ({ extensions }: Patched, name: string | undefined): boolean =>
  name !== undefined && extensions.some((extension) => isSame(name, extension))

function applyAt(patched: Patched, resource: JsonObject, verb: Verb, path: Path, value: JsonValue | undefined): void {
  const { schema, unstored } = patched
  const whole = path.schema === undefined ? undefined : `${path.schema}:${path.attribute}`
  if (isExtension(patched, path.schema) || isExtension(patched, whole)) return
  if (path.schema !== undefined && !isSame(path.schema, schema.id))
    throw invalidPath(`path: The schema ${path.schema} is unknown.`)
  if (['id', 'meta', 'schemas'].some((name) => isSame(path.attribute, name)))
    throw mutability(`${path.attribute} is read-only.`)
  const attribute = find(attributesOf(schema), path.attribute)
  if (attribute === undefined) {
    if (unstored.some((name) => isSame(path.attribute, name))) return
    throw invalidPath(`path: The attribute ${path.attribute} is unknown.`)
  }
  if (attribute.mutability === 'readOnly') throw mutability(`${attribute.name} is read-only.`)
  if (path.sub !== undefined) requireSub(attribute, path.sub)
  if (verb !== 'remove' && value === undefined) throw invalidValue('value: Required for add and replace.')
  if (attribute.multiValued) applyToList(resource, attribute, verb, path, value)
  else if (path.filter !== undefined)
    throw invalidPath(`path: ${attribute.name} has a single value, so it can’t be filtered.`)
  else if (attribute.type === 'complex') applyToComplex(resource, attribute, verb, path.sub, value)
  else if (verb === 'remove' || value === null || value === undefined) delete resource[attribute.name]
  else resource[attribute.name] = readValue(attribute, value)
}

function requireSub(attribute: Attribute, name: string): Attribute {
  const sub = find(attribute.subAttributes ?? [], name)
  if (sub === undefined) throw invalidPath(`path: The attribute ${attribute.name} does not have a part ${name}.`)
  return sub
}

/** Parts that the value does not name stay as they are. */
function applyToComplex(
  resource: JsonObject,
  attribute: Attribute,
  verb: Verb,
  sub: string | undefined,
  value: JsonValue | undefined,
): void {
  const before = resource[attribute.name]
  const after = isJsonObject(before) ? { ...before } : {}
  if (sub !== undefined) setPart(after, requireSub(attribute, sub), verb, value)
  else if (verb === 'remove' || value === null || value === undefined) {
    delete resource[attribute.name]
    return
  } else Object.assign(after, readValue(attribute, value))
  if (isUnassigned(after)) delete resource[attribute.name]
  else resource[attribute.name] = after
}

function setPart(object: JsonObject, part: Attribute, verb: Verb, value: JsonValue | undefined): void {
  if (verb === 'remove' || value === null || value === undefined) delete object[part.name]
  else object[part.name] = readValue(part, value)
}

function applyToList(
  resource: JsonObject,
  attribute: Attribute,
  verb: Verb,
  path: Path,
  value: JsonValue | undefined,
): void {
  const before = resource[attribute.name]
  const elements = (Array.isArray(before) ? before : []).filter(isJsonObject)
  const after =
    path.filter === undefined && path.sub === undefined
      ? changedList(elements, attribute, verb, value)
      : changedElements(elements, attribute, verb, path, value)
  if (isUnassigned(after)) delete resource[attribute.name]
  else resource[attribute.name] = readValue(attribute, after)
}

function changedList(
  elements: JsonObject[],
  attribute: Attribute,
  verb: Verb,
  value: JsonValue | undefined,
): JsonObject[] {
  const given = value === undefined || value === null ? [] : listOf(attribute, value)
  if (verb === 'replace') return given
  const named = new Set(given.map(identityOf))
  // Entra ID names the members to remove in the value, where the RFC has a filter in the path.
  if (verb === 'remove')
    return value === undefined || value === null ? [] : elements.filter((one) => !named.has(identityOf(one)))
  const present = new Set(elements.map(identityOf))
  const added = given.filter((one) => !present.has(identityOf(one)))
  const hasPrimary = added.some(({ primary }) => primary === true)
  return [...elements.map((one) => (hasPrimary ? withoutPrimary(one) : one)), ...added]
}

function listOf(attribute: Attribute, value: JsonValue): JsonObject[] {
  const read = readValue(attribute, Array.isArray(value) ? value : [value])
  return (Array.isArray(read) ? read : []).filter(isJsonObject)
}

const identityOf = (element: JsonObject): string =>
  typeof element.value === 'string' ? element.value.toLowerCase() : JSON.stringify(element)

const withoutPrimary = ({ primary, ...rest }: JsonObject): JsonObject =>
  primary === undefined ? rest : { ...rest, primary: false }

function changedElements(
  elements: JsonObject[],
  attribute: Attribute,
  verb: Verb,
  { filter, sub }: Path,
  value: JsonValue | undefined,
): JsonObject[] {
  const isTarget = (one: JsonObject) => filter === undefined || matches(one, filter)
  const part = sub === undefined ? undefined : requireSub(attribute, sub)
  if (!elements.some(isTarget)) {
    if (verb === 'remove') return elements
    if (verb === 'replace') throw noTarget(`No value of ${attribute.name} matches the path.`)
    const created = { ...(filter === undefined ? {} : named(attribute, filter)) }
    return [...elements, change(created, attribute, part, verb, value)]
  }
  if (verb === 'remove' && part === undefined) return elements.filter((one) => !isTarget(one))
  const changed = elements.map((one) => (isTarget(one) ? change({ ...one }, attribute, part, verb, value) : one))
  return changed.filter((one) => !isUnassigned(one))
}

function change(
  element: JsonObject,
  attribute: Attribute,
  part: Attribute | undefined,
  verb: Verb,
  value: JsonValue | undefined,
): JsonObject {
  if (part !== undefined) setPart(element, part, verb, value)
  else if (value !== undefined && value !== null) Object.assign(element, listOf(attribute, value)[0])
  return element
}

/** What a filter says of the value that an addition creates: `emails[type eq "work"]` makes one of this type. */
function named(attribute: Attribute, filter: Filter): JsonObject {
  if (filter.kind === 'and') return { ...named(attribute, filter.left), ...named(attribute, filter.right) }
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return {}
  return readAttributes(attribute.subAttributes ?? [], { [filter.attribute]: filter.value }, `${attribute.name}.`)
}
