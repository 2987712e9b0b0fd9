import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { argumentTypeOf, typeText } from './argument-types.ts'
import { typedArguments } from './argument-values.ts'
import { typedSchema } from './typed-schema.ts'

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})
const text = (property: JsonValue) => typeText(argumentTypeOf(object({ a: property }, ['a'])))
const values = (property: JsonValue, value: JsonValue) =>
  typedArguments(argumentTypeOf(object({ a: property }, ['a'])), { a: value })
const extension = (fn: string, arg: string) => ({ __extn: { fn, arg } })

describe('types', () => {
  test.each<[JsonValue, string]>([
    [{ type: 'string' }, '{ "a": String }'],
    [{ type: 'integer' }, '{ "a": Long }'],
    [{ type: 'number' }, '{ "a": decimal }'],
    [{ type: 'boolean' }, '{ "a": Bool }'],
    [{ type: 'string', format: 'decimal' }, '{ "a": decimal }'],
    [{ type: 'string', format: 'date-time' }, '{ "a": datetime }'],
    [{ type: 'string', format: 'ipv4' }, '{ "a": ipaddr }'],
    [{ type: 'string', format: 'email' }, '{ "a": String }'],
    [{ enum: ['x', 'y'] }, '{ "a": String }'],
    [{ const: 5 }, '{ "a": Long }'],
    [{ type: ['string', 'null'] }, '{ "a"?: String }'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, '{ "a"?: String }'],
    [{ type: 'array', items: { type: 'string' } }, '{ "a": Set<String> }'],
    [object({ b: { type: 'integer' }, c: { type: 'boolean' } }, ['b']), '{ "a": { "b": Long, "c"?: Bool } }'],
  ])('%j', (property, expected) => expect(text(property)).toBe(expected))

  test.each<[string, JsonValue]>([
    ['no type', {}],
    ['two types', { type: ['string', 'integer'] }],
    ['an untyped object', { type: 'object' }],
    ['a list of anything', { type: 'array' }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } }],
    ['different alternatives', { oneOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['mixed values', { enum: ['x', 5] }],
    ['a reference that leads out', { $ref: 'https://x.example/schema' }],
    ['true', true],
  ])('%s does not have a Cedar type, so a policy cannot read it', (_what, property) =>
    expect(text(property)).toBe('{}'),
  )

  test('resolve references and end recursive ones', () => {
    const schema: JsonObject = {
      ...object({ money: { $ref: '#/$defs/money' }, tree: { $ref: '#/$defs/tree' } }, ['money']),
      $defs: {
        money: object({ amount: { type: 'number' } }, ['amount']),
        tree: object({ name: { type: 'string' }, child: { $ref: '#/$defs/tree' } }),
      },
    }
    expect(typeText(argumentTypeOf(schema))).toBe('{ "money"?: { "amount": decimal }, "tree"?: { "name"?: String } }')
  })

  test('limit the depth and the number of members', () => {
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 100; level++) deep = object({ a: deep })
    expect(typeText(argumentTypeOf(deep)).length).toBeLessThan(200)
    const wide = object(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, { type: 'string' }])))
    expect(argumentTypeOf(wide).members.size).toBe(500)
  })

  test('give a schema that is not an object schema no arguments', () => {
    const schemas: JsonObject[] = [{}, { type: 'string' }, { $ref: '#' }]
    for (const schema of schemas) expect(typeText(argumentTypeOf(schema))).toBe('{}')
  })
})

describe('values', () => {
  test.each<[JsonValue, JsonValue, unknown]>([
    [{ type: 'number' }, 10, extension('decimal', '10.0')],
    [{ type: 'number' }, 0.1, extension('decimal', '0.1')],
    [{ type: 'number' }, -2.5, extension('decimal', '-2.5')],
    [{ type: 'string', format: 'decimal' }, '4200.00', extension('decimal', '4200.00')],
    [
      { type: 'string', format: 'date-time' },
      '2026-05-01T12:00:00+02:00',
      extension('datetime', '2026-05-01T10:00:00.000Z'),
    ],
    [{ type: 'string', format: 'date' }, '2026-05-01', extension('datetime', '2026-05-01T00:00:00.000Z')],
    [{ type: 'string', format: 'ipv6' }, '::1', extension('ip', '::1')],
    [{ type: 'array', items: { type: 'integer' } }, [1, 2, 2], [1, 2, 2]],
  ])('%j ← %j', (property, value, expected) => expect(values(property, value).values).toEqual({ a: expected }))

  test.each<[JsonValue, JsonValue, string]>([
    [{ type: 'string' }, 5, '$.a is not a string'],
    [{ type: 'integer' }, 1.5, '$.a is not a whole number'],
    [{ type: 'integer' }, 2 ** 53, '$.a is not a whole number'],
    [{ type: 'number' }, 1e21, '$.a is not a number with at most four decimal places'],
    [{ type: 'number' }, 0.00001, '$.a is not a number with at most four decimal places'],
    [{ type: 'string', format: 'date' }, '2026-02-30', '$.a is not a date'],
    [{ type: 'string', format: 'date-time' }, 'tomorrow', '$.a is not a date'],
    [{ type: 'string', format: 'ipv4' }, '1.2.3', '$.a is not an IP address'],
    [{ type: 'array', items: { type: 'string' } }, ['x', 5], '$.a[1] is not a string'],
    [object({ b: { type: 'boolean' } }, ['b']), {}, '$.a.b is missing'],
    [{ type: 'string' }, null, '$.a is missing'],
  ])('%j does not accept %j', (property, value, misfit) =>
    expect(values(property, value)).toEqual({ values: {}, misfit }),
  )

  test('undeclared members and inherited property names are left out', () => {
    const type = argumentTypeOf(object({ constructor: { type: 'string' }, a: { type: 'string' } }))
    expect(typedArguments(type, { a: 'x', b: 'y' }).values).toEqual({ a: 'x' })
  })
})

test('any argument name and type gives a valid Cedar schema and values that fit it', () => {
  const names = ['amount', 'amount-in-cents', 'is', 'a b', 'a"b', 'é€😀', '\u202eevil', '', '\\', '1st', 'in', 'has']
  const properties = Object.fromEntries([
    ...names.map((name): [string, JsonValue] => [name, { type: 'integer' }]),
    ...['__proto__', 'constructor', 'hasOwnProperty', '__entity', '__extn'].map((name): [string, JsonValue] => [
      name,
      { type: 'string' },
    ]),
  ])
  const inputSchema = object(properties, names)
  const tools = [
    { server: 'every-thing', name: 'get-sum"x', inputSchema },
    { server: 'x', name: 'y', inputSchema: {} },
  ]
  const schema = typedSchema(tools)
  expect(cedar.checkParseSchema(schema)).toEqual({ type: 'success' })
  const type = argumentTypeOf(inputSchema)
  expect([...type.members.keys()]).toEqual(expect.arrayContaining([...names, '__proto__', 'constructor']))
  expect(type.members.has('__entity') || type.members.has('__extn')).toBe(false)
  const args = Object.fromEntries([...names.map((name): [string, JsonValue] => [name, 7]), ['__proto__', 'p']])
  const { values: given, misfit } = typedArguments(type, args)
  expect(misfit).toBeUndefined()
  expect(Object.hasOwn(given, '__proto__')).toBe(true)
  const context = {
    call: { now: { __extn: { fn: 'datetime', arg: '2026-05-01' } }, counters: { toolCalls: 0 } },
    env: { name: 'e' },
    fulfilled: [],
    arguments: given,
  }
  const action = { type: 'Countersign::Action', id: 'every-thing/get-sum"x' }
  expect(cedar.checkParseContext({ context, action, schema })).toEqual({ type: 'success' })
})
