import { expect, test } from 'vitest'
import type { Span } from '#lib/schemas/traces.ts'
import { maskedIn, traceFigures } from './trace-figures.ts'

const span = (changes: Partial<Span>): Span => ({
  spanId: '0000000000000001',
  parentSpanId: null,
  name: 'execute_tool issue_refund',
  kind: 'tool',
  status: 'ok',
  statusMessage: null,
  startedAt: '2026-11-20T13:00:00.000Z',
  endedAt: '2026-11-20T13:00:01.000Z',
  attributes: [],
  ...changes,
})
const email = { class: 'pii.email', length: 23 }

test('spans are counted by what they are', () => {
  const figures = traceFigures([
    span({ kind: 'agent', endedAt: '2026-11-20T13:00:09.000Z' }),
    span({ kind: 'policy' }),
    span({ kind: 'policy', status: 'error' }),
    span({ kind: 'approval' }),
  ])
  expect(figures).toMatchObject({ spans: 4, errors: 1, policyChecks: 2, approvals: 1 })
  expect(figures.endedAt).toBe(Date.parse('2026-11-20T13:00:09.000Z'))
})

test('a trace with an open span has no end', () => {
  expect(traceFigures([span({ endedAt: null }), span({})]).endedAt).toBeUndefined()
})

test('masked values count wherever they stand', () => {
  const one = span({
    attributes: [
      { key: 'whole', masked: email },
      { key: 'inside', value: { customer: { email: { $masked: email } }, list: [{ $masked: email }, 'clear'] } },
      { key: 'none', value: 'clear' },
    ],
  })
  expect(maskedIn(one)).toBe(3)
  expect(traceFigures([one, one]).maskedValues).toBe(6)
})
