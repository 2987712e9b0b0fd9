import { expect, test } from 'vitest'
import { maskedIn, traceFigures } from './trace-figures.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (changes: Partial<TraceSpan>): TraceSpan => ({
  spanId: '0000000000000001',
  parentSpanId: null,
  name: 'execute_tool issue_refund',
  kind: 'tool',
  status: 'ok',
  startedAt: 0,
  endedAt: 1000,
  ...changes,
})
const email = { class: 'pii.email', length: 23 }

test('spans are counted by kind', () => {
  const figures = traceFigures([
    span({ kind: 'agent', endedAt: 9000 }),
    span({ kind: 'policy' }),
    span({ kind: 'policy', status: 'error' }),
    span({ kind: 'approval' }),
  ])
  expect(figures).toMatchObject({ spans: 4, errors: 1, policyChecks: 2, approvals: 1 })
  expect(figures.endedAt).toBe(9000)
})

test('the end of a trace with an open span is undefined', () => {
  expect(traceFigures([span({ endedAt: null }), span({})]).endedAt).toBeUndefined()
})

test('masked values are counted at any depth', () => {
  const one = {
    attributes: [
      { key: 'whole', masked: email },
      { key: 'inside', value: { customer: { email: { $masked: email } }, list: [{ $masked: email }, 'clear'] } },
      { key: 'none', value: 'clear' },
    ],
  }
  expect(maskedIn(one)).toBe(3)
})
