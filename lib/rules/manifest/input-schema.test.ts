import { describe, expect, test } from 'vitest'
import { InputSchema } from '#lib/schemas/manifest.ts'
import { inputProblems } from './input-schema.ts'

const schema = InputSchema.parse({
  type: 'object',
  properties: {
    orderId: { type: 'string', title: 'Order', minLength: 1, maxLength: 10 },
    amount: { type: 'string', format: 'decimal' },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    reason: { enum: ['damaged', 'lost'] },
    urgent: { type: 'boolean' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    lines: { type: 'array', items: { type: 'string' } },
    customer: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
  required: ['orderId'],
})

test('a matching input is without problems, and members that are not described may have any value', () => {
  const input = {
    orderId: 'A-1003',
    amount: '59.90',
    count: 5,
    reason: 'lost',
    urgent: false,
    day: '2026-11-23',
    at: '2026-11-23T09:00:00Z',
    mail: 'elif@northwind.example',
    page: 'https://northwind.example/a',
    lines: ['a'],
    customer: { id: 'C-1' },
    note: { any: [1, null] },
  }
  expect(inputProblems(schema, input).map(({ path, message }) => ({ path, message }))).toEqual([])
})

describe('each problem is named with its path', () => {
  test.each([
    [{}, 'orderId', 'Required.'],
    [{ orderId: '' }, 'orderId', 'Required.'],
    [{ orderId: 'A-1003-1003' }, 'orderId', 'Must have up to 10 characters.'],
    [{ orderId: 7 }, 'orderId', 'Must be a text.'],
    [{ orderId: null }, 'orderId', 'Must be a text.'],
    [{ orderId: 'A', amount: '1,50' }, 'amount', 'Must be a number such as 59.90.'],
    [{ orderId: 'A', count: 1.5 }, 'count', 'Must be a whole number.'],
    [{ orderId: 'A', count: 0 }, 'count', 'Must be at least 1.'],
    [{ orderId: 'A', count: 6 }, 'count', 'Must be at most 5.'],
    [{ orderId: 'A', reason: 'bored' }, 'reason', 'Must be one of damaged, lost.'],
    [{ orderId: 'A', urgent: 'yes' }, 'urgent', 'Must be true or false.'],
    [{ orderId: 'A', day: '2026-13-01' }, 'day', 'Must be a date such as 2026-11-23.'],
    [{ orderId: 'A', at: '2026-11-23T09:00:00' }, 'at', 'Must be a time with its zone, such as 2026-11-23T09:00:00Z.'],
    [{ orderId: 'A', mail: 'elif' }, 'mail', 'Must be an e-mail address.'],
    [{ orderId: 'A', page: 'northwind' }, 'page', 'Must be an address such as https://example.com.'],
    [{ orderId: 'A', lines: ['a', 2] }, 'lines.1', 'Must be a text.'],
    [{ orderId: 'A', lines: 'a' }, 'lines', 'Must be a list.'],
    [{ orderId: 'A', customer: {} }, 'customer.id', 'Required.'],
    [{ orderId: 'A', customer: [] }, 'customer', 'Must be an object.'],
  ])('%j', (input, path, message) => {
    expect(inputProblems(schema, input).map(({ path, message }) => ({ path, message }))).toEqual([
      { path: path.split('.'), message },
    ])
  })
})

test('names of an object’s prototype are ordinary names', () => {
  const input = JSON.parse('{ "orderId": "A", "__proto__": 1, "constructor": 2 }')
  expect(inputProblems(schema, input).map(({ path, message }) => ({ path, message }))).toEqual([])
  expect(inputProblems(InputSchema.parse({ required: ['toString'] }), {})).toHaveLength(1)
})
