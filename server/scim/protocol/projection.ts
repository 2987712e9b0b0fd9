import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { invalidSyntax } from './errors.ts'
import { isSame } from './read-resource.ts'

/** Which attributes a response contains (RFC 7644, section 3.9). Undefined: all of them. */
export type Projection = { only: readonly Name[] } | { except: readonly Name[] } | undefined
type Name = { attribute: string; sub: string | undefined }

const mostNames = 100

/** `given`: the parameters of a query, or the lists of a search. Throws 400 if both are given. */
export function readProjection(attributes: readonly string[], excluded: readonly string[]): Projection {
  if (attributes.length > 0 && excluded.length > 0)
    throw invalidSyntax('Send attributes or excludedAttributes, not both.')
  if (attributes.length + excluded.length > mostNames)
    throw invalidSyntax(`At most ${mostNames} attributes can be named.`)
  if (attributes.length > 0) return { only: attributes.map(nameOf) }
  return excluded.length > 0 ? { except: excluded.map(nameOf) } : undefined
}

/** `urn:…:User:name.givenName` → name, givenName */
function nameOf(text: string): Name {
  const [attribute = '', sub] = text
    .trim()
    .slice(/^urn:/i.test(text.trim()) ? text.trim().lastIndexOf(':') + 1 : 0)
    .split('.')
  return { attribute, sub }
}

/** Whether a response contains the attribute or a part of it. */
export function isShown(projection: Projection, name: string): boolean {
  if (projection === undefined) return true
  if ('only' in projection) return projection.only.some(({ attribute }) => isSame(attribute, name))
  return !projection.except.some(({ attribute, sub }) => sub === undefined && isSame(attribute, name))
}

/** `id` and `schemas` are always returned. */
const always = ['id', 'schemas']

export function project(resource: JsonObject, projection: Projection): JsonObject {
  if (projection === undefined) return resource
  const shown: JsonObject = {}
  for (const [name, value] of Object.entries(resource)) {
    if (always.includes(name)) shown[name] = value
    else if ('only' in projection) {
      const named = projection.only.filter(({ attribute }) => isSame(attribute, name))
      if (named.length > 0)
        shown[name] = parts(value, (part) => named.some(({ sub }) => sub === undefined || isSame(sub, part)))
    } else {
      const named = projection.except.filter(({ attribute }) => isSame(attribute, name))
      if (!named.some(({ sub }) => sub === undefined))
        shown[name] = parts(value, (part) => !named.some(({ sub }) => isSame(sub, part)))
    }
  }
  return shown
}

function parts<T>(value: T, keep: (name: string) => boolean): T | JsonObject | JsonObject[] {
  const kept = (object: JsonObject) => Object.fromEntries(Object.entries(object).filter(([name]) => keep(name)))
  if (isJsonObject(value)) return kept(value)
  return Array.isArray(value) && value.every(isJsonObject) ? value.map(kept) : value
}
