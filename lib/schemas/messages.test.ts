import { expect, test } from 'vitest'
import { z } from 'zod'
import { Day, Id, Reason, Time } from './common.ts'
import { issueMessage } from './messages.ts'

const messagesFor = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: issueMessage }).error?.issues.map(({ message }) => message)

test.each([
  ['a missing value', z.string(), undefined, 'Required.'],
  ['an empty text', z.string().min(1), '', 'Required.'],
  ['a short text', z.string().min(4), 'abc', 'Use at least 4 characters.'],
  ['a long text', z.string().max(2000), 'x'.repeat(2001), 'Use at most 2,000 characters.'],
  ['a large number', z.int().max(200), 201, 'Must be at most 200.'],
  ['a long list', z.array(z.int()).max(1), [1, 2], 'Give at most 1 item.'],
  ['another type', z.number(), '1', 'Must be a number.'],
  ['a fraction', z.int(), 1.5, 'Must be a whole number.'],
  ['an unknown choice', z.enum(['approve', 'reject']), 'maybe', 'Must be one of approve, reject.'],
  ['another literal', z.literal(true), false, 'Must be true.'],
  ['an unknown field', z.strictObject({}), { id: 1 }, 'Unknown: id. Remove what this operation does not support.'],
  ['an id', Id, 'x', 'Must be an id in lower case, such as 019a0000-0000-7000-8000-000000000000.'],
  ['a time', Time, 'today', 'Must be a UTC time such as 2026-01-31T12:00:00Z.'],
  ['a time that PostgreSQL cannot store', Time, '0000-12-31T23:59:59Z', 'Must be a time from the year 1 or later.'],
  ['a day', Day, 'today', 'Must be a date such as 2026-01-31.'],
  ['a day that PostgreSQL cannot store', Day, '0000-02-29', 'Must be a date from the year 1 or later.'],
])('describes %s', (_case, schema, value, message) => {
  expect(messagesFor(schema, value)).toEqual([message])
})

test('keeps the message of a schema', () => {
  expect(messagesFor(Reason, '')).toEqual(['Required, up to 2,000 characters.'])
})
