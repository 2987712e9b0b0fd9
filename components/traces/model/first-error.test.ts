import { expect, test } from 'vitest'
import { firstError } from './first-error.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (
  spanId: string,
  parentSpanId: string | null,
  status: TraceSpan['status'],
  startedAt: number,
): TraceSpan => ({
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'tool',
  status,
  startedAt,
  endedAt: null,
})

test('is the earliest span that failed by itself, not the parents that failed with it', () => {
  const spans = [
    span('root', null, 'error', 0),
    span('late', 'root', 'error', 9),
    span('agent', 'root', 'error', 1),
    span('call', 'agent', 'error', 3),
    span('fine', 'root', 'ok', 2),
  ]
  expect(firstError(spans)).toBe(3)
})

test('without errors there is none, and spans in a circle don’t hide theirs', () => {
  expect(firstError([span('a', null, 'ok', 0)])).toBeUndefined()
  expect(firstError([])).toBeUndefined()
  expect(firstError([span('a', 'b', 'error', 0), span('b', 'a', 'error', 1)])).toBe(0)
})
