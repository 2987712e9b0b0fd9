import { expect, test } from 'vitest'
import { spanTree } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { align } from './align.ts'
import {
  ADDED,
  COST,
  type Compared,
  countDifferences,
  DURATION,
  differences,
  HIDDEN,
  INPUT,
  leadsToDifference,
  MISSING,
  OUTPUT,
  STATUS,
  TOKENS,
} from './difference.ts'

const span = (name: string, parentSpanId: string | null, more: Partial<TraceSpan> = {}): TraceSpan => ({
  spanId: name,
  parentSpanId,
  name,
  kind: 'model',
  status: 'unset',
  startedAt: 0,
  endedAt: 1000,
  ...more,
})

const trace = (spans: TraceSpan[], more: Partial<Compared> = {}): Compared => ({
  spans,
  calls: new Map(),
  input: spans.map(() => ''),
  output: spans.map(() => ''),
  ...more,
})

function found(one: Compared, other: Compared) {
  const aligned = align(
    { spans: one.spans, tree: spanTree(one.spans) },
    { spans: other.spans, tree: spanTree(other.spans) },
  )
  const bits = differences(aligned, one, other)
  return { bits: [...bits], leads: [...leadsToDifference(aligned, bits)], counts: countDifferences(bits) }
}

/** The differences of one span. */
const between = (
  one: Partial<TraceSpan>,
  other: Partial<TraceSpan>,
  more: Partial<Compared>[] = [],
): number | undefined => found(trace([span('a', null, one)], more[0]), trace([span('a', null, other)], more[1])).bits[0]

test('what one trace lacks differs, and leads from its parents', () => {
  const one = trace([span('run', null), span('a', 'run'), span('b', 'a'), span('c', 'run')])
  const other = trace([span('run', null), span('a', 'run'), span('d', 'a'), span('c', 'run')])
  const { bits, leads, counts } = found(one, other)
  expect(bits).toEqual([0, 0, MISSING, ADDED, 0])
  expect(leads).toEqual([1, 1, 1, 1, 0])
  expect(counts).toEqual({ added: 1, missing: 1, changed: 0, same: 3, hidden: 0 })
})

test('an error differs from success, and an unset status does not', () => {
  expect(between({ status: 'ok' }, {})).toBe(0)
  expect(between({}, { status: 'error' })).toBe(STATUS)
  expect(between({}, { endedAt: null })).toBe(STATUS)
})

test('a duration differs from a fifth and a tenth of a second on', () => {
  expect(between({}, { endedAt: 1240 })).toBe(0)
  expect(between({}, { endedAt: 1260 })).toBe(DURATION)
  expect(between({ endedAt: 10 }, { endedAt: 100 })).toBe(0)
  expect(between({ endedAt: 10 }, { endedAt: 110 })).toBe(DURATION)
})

test('tokens, cost, input and output differ, and what is masked is not compared', () => {
  const call = (inputTokens: number, amount: string | null) => ({
    calls: new Map([
      [0, { row: 0, inputTokens, outputTokens: 1, cost: amount === null ? null : { amount, currency: 'EUR' } }],
    ]),
  })
  expect(between({}, {}, [call(5, '0.1'), call(6, '0.2')])).toBe(TOKENS | COST)
  expect(between({}, {}, [call(5, null), call(5, '0.2')])).toBe(COST)
  expect(between({}, {}, [{}, call(5, null)])).toBe(TOKENS)
  expect(between({}, {}, [{ input: ['x'] }, { input: ['y'] }])).toBe(INPUT)
  expect(between({}, {}, [{ output: ['x'] }, { output: ['hidden'] }])).toBe(HIDDEN)
  expect(between({}, {}, [{ output: ['hidden'] }, { output: ['hidden'] }])).toBe(HIDDEN)
  // Whether there is a value at all is not masked.
  expect(between({}, {}, [{}, { output: ['hidden'] }])).toBe(OUTPUT)
})
