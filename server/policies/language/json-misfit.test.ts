import { expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { jsonMisfit } from './json-misfit.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const text = { type: 'string' }

test.each<[what: string, schema: JsonObject, args: JsonObject, misfit: string | undefined]>([
  ['a number for a string', object({ a: { ...text, format: 'decimal' } }), { a: 62.5 }, '$.a is not a string'],
  ['a string for a number', object({ a: { type: 'number' } }), { a: '62.5' }, '$.a is not a number'],
  ['a string for a string', object({ a: text }), { a: '62.5' }, undefined],
  ['a whole number for a number', object({ a: { type: 'number' } }), { a: 62 }, undefined],
  ['a fraction for an integer', object({ a: { type: 'integer' } }), { a: 62.5 }, '$.a is not a whole number'],
  ['either of two types', object({ a: { type: ['string', 'number'] } }), { a: 62.5 }, undefined],
  ['none of two types', object({ a: { type: ['string', 'null'] } }), { a: 62.5 }, '$.a is not a string or null'],
  ['null for a string', object({ a: text }), { a: null }, '$.a is not a string'],
  ['null for a nullable string', object({ a: { ...text, nullable: true } }), { a: null }, undefined],
  ['no type', object({ a: { format: 'decimal' } }), { a: 62.5 }, undefined],
  ['an unknown type', object({ a: { type: 'money' } }), { a: 62.5 }, undefined],
  ['a missing member', object({ a: text }, { required: ['a'] }), {}, '$.a is missing'],
  ['a missing one with a default', object({ a: { ...text, default: '' } }, { required: ['a'] }), {}, undefined],
  ['an item of a list', object({ a: { type: 'array', items: text } }), { a: ['x', 1] }, '$.a[1] is not a string'],
  ['a nested member', object({ a: object({ b: text }) }), { a: { b: true } }, '$.a.b is not a string'],
  ['an undeclared member', object({}), { b: 1 }, undefined],
  ['one of declared type', { type: 'object', additionalProperties: text }, { b: 1 }, '$.b is not a string'],
  ['one that a pattern may name', { patternProperties: { b: {} }, additionalProperties: text }, { b: 1 }, undefined],
  ['an alternative', object({ a: { anyOf: [text, { type: 'null' }] } }), { a: null }, undefined],
  [
    'no alternative',
    object({ a: { oneOf: [text, { type: 'null' }] } }),
    { a: 1 },
    '$.a fits none of the declared alternatives',
  ],
  ['a reference', object({ a: { $ref: '#/$defs/t' } }, { $defs: { t: text } }), { a: 1 }, '$.a is not a string'],
  ['a reference to itself', object({ a: { $ref: '#/properties/a' } }), { a: 1 }, undefined],
  ['a member called __proto__', object({}), JSON.parse('{"__proto__": 1}'), undefined],
])('%s', (_what, schema, args, misfit) => {
  expect(jsonMisfit(schema, args)).toBe(misfit)
})

test('a schema that multiplies alternatives is checked as far as the work is reasonable', () => {
  const node = object({}, { anyOf: [{ properties: { n: { $ref: '#' } } }, { properties: { n: { $ref: '#' } } }] })
  let args: JsonObject = { n: 1 }
  for (let depth = 0; depth < 60; depth++) args = { n: args }
  expect(jsonMisfit(node, args)).toBeUndefined()
})
