import { expect, test } from 'vitest'
import { placeOfRow, spanTree, visibleRows } from './span-tree.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (spanId: string, parentSpanId: string | null, startedAt = 0): TraceSpan => ({
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'tool',
  status: 'ok',
  startedAt,
  endedAt: null,
})

/** `a`, then its children indented: what a reader sees. */
const outline = (spans: TraceSpan[]): string[] => {
  const tree = spanTree(spans)
  return [...tree.spanAt].map((index, row) => '-'.repeat(tree.depth[row] ?? 99) + spans[index]?.spanId)
}

test('a parent precedes its children, and siblings are ordered by start, regardless of arrival', () => {
  const spans = [span('late', 'a', 9), span('a', null), span('deep', 'early', 3), span('early', 'a', 2)]
  expect(outline(spans)).toEqual(['a', '-early', '--deep', '-late'])
})

test('spans that start at the same time keep their order of arrival', () => {
  expect(outline([span('a', null), span('x', 'a', 5), span('y', 'a', 5)])).toEqual(['a', '-x', '-y'])
})

test('a span whose parent has not arrived yet is a root', () => {
  expect(outline([span('orphan', 'missing', 4), span('a', null, 1)])).toEqual(['a', 'orphan'])
})

test.each([
  ['its own parent', [span('a', 'a')]],
  ['a cycle of two', [span('a', 'b'), span('b', 'a')]],
  ['a cycle with a tail', [span('t', 'c'), span('a', 'b'), span('b', 'c'), span('c', 'a')]],
])('%s: no span is lost, and the walk ends', (_, spans) => {
  expect(outline(spans)).toHaveLength(spans.length)
  expect(new Set(spanTree(spans).spanAt).size).toBe(spans.length)
})

test('end and parent delimit each subtree', () => {
  const tree = spanTree([span('a', null), span('b', 'a', 1), span('c', 'b', 2), span('d', 'a', 3), span('e', null, 4)])
  expect([...tree.end]).toEqual([4, 3, 3, 4, 5])
  expect([...tree.parent]).toEqual([-1, 0, 1, 0, -1])
})

test('a folded subtree is skipped', () => {
  const tree = spanTree([span('a', null), span('b', 'a', 1), span('c', 'b', 2), span('d', 'a', 3)])
  const rows = visibleRows(tree, (index) => index === 1)
  expect([...rows]).toEqual([0, 1, 3])
  expect(placeOfRow(rows, 2)).toBe(1)
  expect(placeOfRow(rows, 3)).toBe(2)
})

test('no spans give an empty tree', () => {
  expect(spanTree([]).spanAt).toHaveLength(0)
})

test('a chain of 50,000 spans does not overflow the stack', () => {
  const spans = Array.from({ length: 50_000 }, (_, i) => span(String(i), i === 0 ? null : String(i - 1), i))
  const tree = spanTree(spans)
  expect(tree.depth.at(-1)).toBe(49_999)
  expect(visibleRows(tree, (index) => index === 0)).toHaveLength(1)
})
