import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { catalogOf } from '#server/catalog/operations.ts'
import { collectCatalog } from '#server/catalog.ts'
import { refusedNow, unexpectedNow } from './compare-schemas.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})
const a = (schema: JsonObject) => object({ a: schema })
const string = { type: 'string' }
const nullable = (schema: JsonObject) => ({ anyOf: [schema, { type: 'null' }] })

/** What a caller sends: the earlier schema, the later one, and what is refused now. */
const inputs: [string, JsonObject, JsonObject, string[]][] = [
  ['a required field', object({}), object({ a: string }, { required: ['a'] }), ['a is now required']],
  ['a removed field', a(string), object({}), ['a is no longer accepted']],
  ['another type', a(string), a({ type: 'integer' }), ['a no longer accepts string']],
  ['a type of several', a({ type: ['string', 'null'] }), a(string), ['a no longer accepts null']],
  ['a value of an enum', a({ enum: ['x', 'y'] }), a({ enum: ['y'] }), ['a no longer accepts "x"']],
  ['an enum in place of a text', a(string), a({ type: 'string', enum: ['y'] }), ['a no longer accepts string']],
  ['a value of a boolean', a({ type: 'boolean' }), a({ const: true }), ['a no longer accepts false']],
  ['a shorter text', a({ ...string, maxLength: 9 }), a({ ...string, maxLength: 8 }), ['a: maxLength 9 → 8']],
  ['a new limit', a({ type: 'integer' }), a({ type: 'integer', minimum: 1 }), ['a: minimum none → 1']],
  ['a pattern', a(string), a({ ...string, pattern: '^x' }), ['a: another pattern']],
  ['a format', a({ ...string, format: 'uuid' }), a({ ...string, format: 'date' }), ['a: another format']],
  [
    'items of a list',
    a({ type: 'array', items: string }),
    a({ type: 'array', items: { type: 'number' } }),
    ['a[] no longer accepts string'],
  ],
  ['the length of a list', a({ type: 'array', maxItems: 9 }), a({ type: 'array', maxItems: 1 }), ['a: maxItems 9 → 1']],
  ['a choice', a(nullable(string)), a(string), ['a no longer accepts null']],
  [
    'a field within a choice',
    a(nullable(object({ b: string }))),
    a(nullable(object({ b: { ...string, maxLength: 1 } }))),
    ['a.b: maxLength none → 1'],
  ],
  [
    'one of several objects that a constant names',
    a({ anyOf: [object({ kind: { const: 'x' }, b: string }), object({ kind: { const: 'y' } })] }),
    a({ anyOf: [object({ kind: { const: 'x' } }), object({ kind: { const: 'y' } })] }),
    ['a.b is no longer accepted'],
  ],
  ['other members', { type: 'object' }, object({}), ['the input no longer accepts other members']],
  [
    'values of other members',
    { type: 'object', additionalProperties: string },
    { type: 'object', additionalProperties: { type: 'number' } },
    ['* no longer accepts string'],
  ],
]

test.each(inputs)('an input is refused after a change of %s', (_what, before, after, reasons) => {
  expect(refusedNow(before, after)).toEqual(reasons)
  expect(refusedNow(before, before)).toEqual([])
})

/** What a caller receives: the earlier schema, the later one, and what it does not expect. */
const answers: [string, JsonObject, JsonObject, string[]][] = [
  ['a lost field', a(string), object({}), ['the answer lacks a']],
  ['an optional field', object({ a: string }, { required: ['a'] }), a(string), ['a may be absent from the answer']],
  ['another type', a(string), a({ type: 'integer' }), ['a may now be integer']],
  ['a new value of an enum', a({ enum: ['x'] }), a({ enum: ['x', 'y'] }), ['a may now be "y"']],
  ['null', a(string), a(nullable(string)), ['a may now be null']],
  ['a longer text', a({ ...string, maxLength: 8 }), a({ ...string, maxLength: 9 }), ['a: maxLength 8 → 9']],
  ['no format', a({ ...string, format: 'uuid' }), a(string), ['a: another format']],
  [
    'a lost field of an item',
    a({ type: 'array', items: object({ b: string }) }),
    a({ type: 'array', items: object({}) }),
    ['the answer lacks a[].b'],
  ],
  ['a lost field of a choice', a(nullable(object({ b: string }))), a(nullable(object({}))), ['the answer lacks a.b']],
  [
    'values of other members',
    { type: 'object', additionalProperties: string },
    { type: 'object', additionalProperties: nullable(string) },
    ['* may now be null'],
  ],
]

test.each(answers)('an answer is unexpected after a change of %s', (_what, before, after, reasons) => {
  expect(unexpectedNow(before, after)).toEqual(reasons)
  expect(unexpectedNow(before, before)).toEqual([])
})

describe('no difference is reported for', () => {
  const equal: [string, JsonObject, JsonObject][] = [
    ['the order of types', a({ type: ['string', 'null'] }), a({ type: ['null', 'string'] })],
    ['a choice written as types', a(nullable(string)), a({ type: ['string', 'null'] })],
    ['the order of choices', a(nullable(string)), a({ anyOf: [{ type: 'null' }, string] })],
    ['an enum written as constants', a({ enum: ['x', 'y'] }), a({ anyOf: [{ const: 'y' }, { const: 'x' }] })],
    ['a description', a(string), a({ ...string, description: 'A text.' })],
    ['another default', a({ ...string, default: 'x' }), a({ ...string, default: 'y' })],
  ]
  test.each(equal)('%s', (_what, before, after) => {
    expect([refusedNow(before, after), unexpectedNow(before, after)]).toEqual([[], []])
    expect([refusedNow(after, before), unexpectedNow(after, before)]).toEqual([[], []])
  })

  test('what only widens an input or narrows an answer', () => {
    const incomparable = /another type|required|removed|format|items of|several objects|values of other|other members/
    const narrowed = inputs.filter(([what]) => !incomparable.test(what))
    expect(narrowed.length).toBeGreaterThan(8)
    for (const [what, before, after] of narrowed) {
      expect([what, refusedNow(after, before)]).toEqual([what, []])
      expect([what, unexpectedNow(before, after)]).toEqual([what, []])
    }
    expect(unexpectedNow(object({}), a(string))).toEqual([])
    expect(unexpectedNow(a(nullable(string)), a(string))).toEqual([])
    expect(unexpectedNow(a({ enum: ['x', 'y'] }), a({ enum: ['x'] }))).toEqual([])
  })
})

test('every change of a limit, pattern or enum in the real catalog is found', () => {
  const { operations } = catalogOf(collectCatalog())
  const tightened = {
    maxLength: 0,
    maximum: -1e15,
    maxItems: -1,
    minimum: 1e15,
    minLength: 1e9,
    pattern: '^never$',
    enum: ['never'],
  }
  let changed = 0
  for (const { name, input } of operations)
    for (const change of changesOf(input, tightened)) {
      changed += 1
      expect([name, change.where, refusedNow(input, change.schema).length > 0]).toEqual([name, change.where, true])
      expect([name, change.where, unexpectedNow(change.schema, input).length > 0]).toEqual([name, change.where, true])
    }
  expect(changed).toBeGreaterThan(500)
})

/** A copy of the schema for each keyword of `values` in it, with that one replaced. */
function changesOf(schema: JsonObject, values: JsonObject): { where: string; schema: JsonObject }[] {
  const found: string[][] = []
  const walk = (value: unknown, path: string[]): void => {
    if (typeof value !== 'object' || value === null || path.at(-1) === 'default') return
    for (const [key, inner] of Object.entries(value)) {
      // A field may have the name of a keyword.
      if (path.at(-1) !== 'properties' && values[key] !== undefined && typeof inner !== 'object')
        found.push([...path, key])
      else if (path.at(-1) !== 'properties' && key === 'enum') found.push([...path, key])
      else walk(inner, [...path, key])
    }
  }
  walk(schema, [])
  return found.map((path) => {
    const copy = structuredClone(schema)
    let at = copy as Record<string, unknown>
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
    const key = path.at(-1) ?? ''
    at[key] = values[key]
    return { where: path.join('.'), schema: copy }
  })
}
