import fc from 'fast-check'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { hostileTexts, hostileValues } from './hostile.ts'

/** Values that a JSON Schema of the catalog allows, as far as a schema can say it. */
export function valid(schema: JsonValue): fc.Arbitrary<unknown> {
  if (!isJsonObject(schema)) return fc.jsonValue()
  const choice = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choice)) return fc.oneof(...choice.map(valid))
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
      return fc.integer({ min: bound(schema.minimum, -10), max: bound(schema.maximum, 1_000_000) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valid(schema.items ?? {}), { minLength: Math.min(bound(schema.minItems, 0), 5), maxLength: 5 })
    case 'object':
      return object(schema)
    default:
      return fc.jsonValue()
  }
}

const bound = (value: JsonValue | undefined, otherwise: number): number =>
  typeof value === 'number' && Math.abs(value) < 2 ** 31 ? value : otherwise

/** Mostly with a year of four digits, which is all that an input accepts, and often the first, the last or one around 1970. */
const time = fc
  .oneof(
    {
      arbitrary: fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') }),
      weight: 3,
    },
    {
      arbitrary: fc.constantFrom(...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map((text) => new Date(text))),
      weight: 1,
    },
    { arbitrary: fc.integer({ min: -2000, max: 2000 }).map((ms) => new Date(ms)), weight: 1 },
    { arbitrary: fc.date(), weight: 1 },
  )
  .filter((date) => !Number.isNaN(date.getTime()))
  .map((date) => date.toISOString())

function text({ format, pattern, minLength, maxLength }: JsonObject): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return time
  if (format === 'email') return fc.emailAddress()
  if (format === 'uri') return fc.webUrl()
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  const min = Math.min(bound(minLength, 0), 100)
  return fc.string({ unit: 'grapheme', minLength: min, maxLength: Math.max(min, Math.min(bound(maxLength, 50), 50)) })
}

function object({ properties, required, additionalProperties }: JsonObject): fc.Arbitrary<unknown> {
  if (!isJsonObject(properties))
    return fc.dictionary(fc.string(), valid(additionalProperties ?? {}), { maxKeys: 5, noNullPrototype: true })
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema)]))
  const requiredKeys = Array.isArray(required)
    ? required.map(String).filter((name) => Object.hasOwn(members, name))
    : []
  return fc.record(members, { requiredKeys, noNullPrototype: true })
}

/** Values that are valid except in one place, which is hostile, missing or superfluous. */
export const nearlyValid = (schema: JsonValue): fc.Arbitrary<unknown> =>
  fc
    .tuple(valid(schema), fc.nat(), fc.constantFrom(...hostileValues), fc.constantFrom(...hostileTexts), fc.nat(2))
    .map(([value, place, hostile, name, way]) => {
      const copy: unknown = structuredClone(value)
      const places = placesIn(copy)
      const at = places[place % Math.max(places.length, 1)]
      if (at === undefined) return hostile
      const [holder, key] = at
      if (way === 0) Reflect.deleteProperty(holder, key)
      else if (way === 1) define(holder, key, hostile)
      else define(holder, name, hostile)
      return copy
    })

/** As JSON.parse does it: `__proto__` becomes a member of its own. */
const define = (holder: object, key: string, value: unknown) =>
  Reflect.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })

function placesIn(value: unknown): [holder: object, key: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key): [object, string][] => [[value, key], ...placesIn(Reflect.get(value, key))])
}
