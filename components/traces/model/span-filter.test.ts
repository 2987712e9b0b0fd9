import { expect, test } from 'vitest'
import { countOf, matching, nextAfter, rowsThatLead, type SpanFilter } from './span-filter.ts'
import { spanTree, visibleRows } from './span-tree.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (spanId: string, parentSpanId: string | null, changes: Partial<TraceSpan> = {}): TraceSpan => ({
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'tool',
  status: 'ok',
  startedAt: 0,
  endedAt: 1,
  ...changes,
})
const everything: SpanFilter = { text: '', kinds: new Set(), errorsOnly: false, among: undefined, during: undefined }
const spans = [
  span('run', null, { kind: 'agent' }),
  span('Chat model', 'run', { kind: 'model' }),
  span('lookup_order', 'run'),
  span('issue_refund', 'run', { status: 'error' }),
  span('attempt', 'issue_refund', { status: 'error', kind: 'other' }),
]
const tree = spanTree(spans)
const shown = (filter: Partial<SpanFilter>): string[] => {
  const matches = matching(spans, { ...everything, ...filter })
  const rows = visibleRows(tree, () => false)
  return [...(matches === undefined ? rows : rowsThatLead(rows, tree, matches))].map(
    (row) => spans[tree.spanAt[row] ?? -1]?.spanId ?? '',
  )
}

test('rows that do not match are left out, except ancestors of matches', () => {
  expect(shown({})).toHaveLength(5)
  expect(shown({ text: ' REFUND ' })).toEqual(['run', 'issue_refund'])
  expect(shown({ kinds: new Set(['model', 'other']) })).toEqual(['run', 'Chat model', 'issue_refund', 'attempt'])
  expect(shown({ errorsOnly: true, kinds: new Set(['tool']) })).toEqual(['run', 'issue_refund'])
  expect(shown({ among: new Set([2]) })).toEqual(['run', 'lookup_order'])
  expect(shown({ text: 'nowhere' })).toEqual([])
  expect(shown({ during: { from: 2, to: 3 } })).toEqual([])
  expect(shown({ during: { from: 0.5, to: 3 } })).toHaveLength(5)
})

test('matches are counted without their ancestors, and the next match wraps around', () => {
  const matches = matching(spans, { ...everything, errorsOnly: true })
  if (matches === undefined) throw new Error('a filter was set')
  expect(countOf(matches)).toBe(2)
  const is = (index: number) => matches[index] === 1
  const first = nextAfter(tree, -1, is)
  expect(spans[first ?? -1]?.spanId).toBe('issue_refund')
  const second = nextAfter(tree, tree.rowOf[first ?? -1] ?? 0, is)
  expect(spans[second ?? -1]?.spanId).toBe('attempt')
  expect(nextAfter(tree, tree.rowOf[second ?? -1] ?? 0, is)).toBe(first)
})
