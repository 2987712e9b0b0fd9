import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { pointedAt } from './argument-types.ts'

/** More than any tool needs: a schema that refers to itself in alternatives could make the work grow without end. */
const mostVisits = 10_000

/**
 * Says, without the value, where arguments have another JSON type than the tool's schema declares, or lack a required member:
 * a call that the tool can only refuse. Reads `type`, `properties`, `required`, `items`, `additionalProperties`, `$ref` into the
 * same document and alternatives. Everything else is left to the tool, as is what an unusual schema does not say in these words.
 * Recorded decisions are recomputed with it: for requests marked `exact`, the answer must stay the same.
 */
export function jsonMisfit(schema: JsonObject, args: JsonObject): string | undefined {
  return new Check(schema).misfit(schema, args, '$', [])
}

class Check {
  private readonly root: JsonObject
  private left = mostVisits
  constructor(root: JsonObject) {
    this.root = root
  }

  /** `through`: the references followed for this value. */
  misfit(
    schema: JsonValue | undefined,
    value: JsonValue,
    path: string,
    through: readonly string[],
  ): string | undefined {
    this.left -= 1
    if (!isJsonObject(schema) || this.left < 0) return undefined
    const own = (key: string): JsonValue | undefined => (Object.hasOwn(schema, key) ? schema[key] : undefined)
    if (value === null && own('nullable') === true) return undefined
    const names = [own('type')].flat().filter((name) => typeof name === 'string' && Object.hasOwn(types, name))
    const declared = names as (keyof typeof types)[]
    if (declared.length > 0 && !declared.some((name) => types[name].is(value)))
      return `${path} is not ${declared.map((name) => types[name].called).join(' or ')}`
    const reference = own('$ref')
    if (typeof reference === 'string' && !through.includes(reference)) {
      const found = this.misfit(pointedAt(this.root, reference), value, path, [...through, reference])
      if (found !== undefined) return found
    }
    for (const all of list(own('allOf'))) {
      const found = this.misfit(all, value, path, through)
      if (found !== undefined) return found
    }
    for (const key of ['anyOf', 'oneOf']) {
      const any = list(own(key))
      const found = any.map((one) => this.misfit(one, value, path, through))
      if (any.length > 0 && found.every((one) => one !== undefined))
        return found.length === 1 ? found[0] : `${path} fits none of the declared alternatives`
    }
    if (Array.isArray(value)) return this.inList(own('items'), value, path, list(own('prefixItems')).length)
    return isJsonObject(value) ? this.inObject(own, value, path) : undefined
  }

  private inList(items: JsonValue | undefined, value: JsonValue[], path: string, from: number): string | undefined {
    for (const [index, inner] of value.entries()) {
      const found = index < from ? undefined : this.misfit(items, inner, `${path}[${index}]`, [])
      if (found !== undefined) return found
    }
    return undefined
  }

  private inObject(own: (key: string) => JsonValue | undefined, value: JsonObject, path: string): string | undefined {
    const properties = own('properties')
    const declared = isJsonObject(properties) ? properties : {}
    for (const name of list(own('required')))
      if (typeof name === 'string' && !Object.hasOwn(value, name) && !hasDefault(declared, name))
        return `${path}.${name} is missing`
    // A pattern may name a member that properties don't.
    const others = own('patternProperties') === undefined ? own('additionalProperties') : undefined
    for (const [name, inner] of Object.entries(value)) {
      const schema = Object.hasOwn(declared, name) ? declared[name] : others
      const found = inner === undefined ? undefined : this.misfit(schema, inner, `${path}.${name}`, [])
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Some servers declare what they fill in themselves as required. */
function hasDefault(properties: JsonObject, name: string): boolean {
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(member) && Object.hasOwn(member, 'default')
}

const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])

const types = {
  string: { called: 'a string', is: (value: JsonValue) => typeof value === 'string' },
  number: { called: 'a number', is: (value: JsonValue) => typeof value === 'number' },
  integer: { called: 'a whole number', is: (value: JsonValue) => Number.isInteger(value) },
  boolean: { called: 'true or false', is: (value: JsonValue) => typeof value === 'boolean' },
  array: { called: 'a list', is: (value: JsonValue) => Array.isArray(value) },
  object: { called: 'an object', is: (value: JsonValue) => isJsonObject(value) },
  null: { called: 'null', is: (value: JsonValue) => value === null },
}
