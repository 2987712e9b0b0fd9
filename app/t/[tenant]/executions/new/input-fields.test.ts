import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { fieldsOf, initialTexts, inputFrom, schemaIn, textsFor } from './input-fields.ts'

const described: JsonObject = {
  runtime: { steps: [] },
  inputSchema: {
    type: 'object',
    properties: {
      orderId: { type: 'string', title: 'Order', minLength: 1 },
      reason: { enum: ['damaged', 'lost'], default: 'lost' },
      lines: { type: 'integer', minimum: 1 },
      urgent: { type: 'boolean' },
      customer: { type: 'object', properties: { mail: { type: 'string', format: 'email' } }, required: ['mail'] },
      extra: { type: 'array' },
    },
    required: ['orderId', 'customer'],
  },
}

const referred: JsonObject = {
  runtime: {
    steps: [
      { id: 'order', tool: { server: 's', name: 'lookup', arguments: { id: '${input.orderId}' } } },
      {
        id: 'note',
        when: '${input.notify} == true',
        tool: { server: 's', name: 'note', arguments: { text: 'To ${input.customer.name}: ${steps.order.output.id}' } },
      },
    ],
  },
  approvalCard: { title: '${input.orderId}', facts: [{ label: 'Team', value: '${input.team_name}' }] },
}

describe('fields', () => {
  test('come from the manifest’s schema, nested objects as fields of their own', () => {
    expect(
      fieldsOf(described).map(({ path, label, kind, required }) => [path.join('.'), label, kind, required]),
    ).toEqual([
      ['orderId', 'Order', 'text', true],
      ['reason', 'Reason', 'choice', false],
      ['lines', 'Lines', 'number', false],
      ['urgent', 'Urgent', 'boolean', false],
      ['customer.mail', 'Customer, mail', 'text', true],
      ['extra', 'Extra', 'json', false],
    ])
    expect(initialTexts(fieldsOf(described)).reason).toBe('lost')
  })

  test('without a schema they are the members that the manifest refers to', () => {
    expect(fieldsOf(referred).map(({ path, label, required }) => [path.join('.'), label, required])).toEqual([
      ['orderId', 'Order id', true],
      ['notify', 'Notify', true],
      ['customer.name', 'Customer, name', false],
      ['team_name', 'Team name', false],
    ])
  })

  test.each<JsonValue | undefined>([
    undefined,
    null,
    {},
    { runtime: { http: { url: 'https://a.example' } } },
    { runtime: { chat: {} } },
    { inputSchema: 'odd' },
  ])('a manifest without either has none: %j', (spec) => {
    expect(fieldsOf(spec)).toEqual([])
  })

  test('references that can’t be read are left out, and elements of lists belong to their list', () => {
    const spec = { runtime: { chat: { prompt: '${input} ${input.items[0].id} ${input.} ${steps.a.output.x}' } } }
    expect(fieldsOf(spec).map(({ path }) => path)).toEqual([['items']])
  })
})

describe('the input', () => {
  const fields = fieldsOf(described)
  const schema = schemaIn(described)
  const texts = { orderId: 'A-1003', lines: '2', urgent: 'true', 'customer.mail': 'elif@northwind.example' }

  test('has the types of the schema, and leaves empty fields out', () => {
    const { input, problems } = inputFrom(fields, texts, schema)
    expect(input).toEqual({ orderId: 'A-1003', lines: 2, urgent: true, customer: { mail: 'elif@northwind.example' } })
    expect(problems.size).toBe(0)
  })

  test.each([
    [{ orderId: ' ' }, 'orderId', 'Required.'],
    [{ lines: 'two' }, 'lines', 'Must be a number.'],
    [{ lines: '1.5' }, 'lines', 'Must be a whole number.'],
    [{ 'customer.mail': 'elif' }, 'customer.mail', 'Must be an e-mail address.'],
    [{ extra: '[1' }, 'extra', 'Not valid JSON. Put a text into double quotes.'],
    [{ extra: '{}' }, 'extra', 'Must be a list.'],
    [{ reason: 'bored' }, 'reason', 'Choose one of the values.'],
  ])('a problem belongs to its field: %j', (change, key, message) => {
    expect([...inputFrom(fields, { ...texts, ...change }, schema).problems]).toEqual([[key, message]])
  })

  test('an earlier one fills the fields, unless it has members that they do not show', () => {
    const input = { orderId: 'A-1003', lines: 2, customer: { mail: 'elif@northwind.example' } }
    const filled = textsFor(fields, input)
    expect(filled).toMatchObject({ orderId: 'A-1003', lines: '2', reason: '' })
    expect(inputFrom(fields, filled ?? {}, schema).input).toEqual(input)
    expect(textsFor(fields, { ...input, more: 1 })).toBeUndefined()
    expect(textsFor(fields, { ...input, orderId: 7 })).toBeUndefined()
  })

  test('a member named like one of a prototype is an own member', () => {
    const odd: JsonObject = { inputSchema: { properties: JSON.parse('{ "__proto__": { "type": "string" } }') } }
    const { input } = inputFrom(fieldsOf(odd), { ['__proto__']: 'x' } as Record<string, string>, schemaIn(odd))
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  })
})
