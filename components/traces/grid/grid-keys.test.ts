import { expect, test } from 'vitest'
import { spanTree, visibleRows } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { type GridKey, moveBy } from './grid-keys.ts'

const span = (spanId: string, parentSpanId: string | null): TraceSpan => ({
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'tool',
  status: 'ok',
  startedAt: 0,
  endedAt: null,
})
// a ─ b ─ c
//   └ d
// e
const tree = spanTree([span('a', null), span('b', 'a'), span('c', 'b'), span('d', 'a'), span('e', null)])
const press = (key: GridKey, place: number | undefined, folded: number[] = []) => {
  const isFolded = (index: number) => folded.includes(index)
  return moveBy(key, { tree, rows: visibleRows(tree, isFolded), isFolded, place, page: 3 })
}

test.each<[GridKey, number | undefined, number]>([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 4, 4],
  ['ArrowUp', 0, 0],
  ['ArrowUp', 3, 2],
  ['Home', 3, 0],
  ['End', 0, 4],
  ['PageDown', 0, 3],
  ['PageDown', 3, 4],
  ['PageUp', 4, 1],
  ['ArrowDown', undefined, 0],
  ['ArrowUp', undefined, 4],
])('%s from %s moves to %d', (key, from, to) => {
  expect(press(key, from)).toEqual({ place: to })
})

test('Right unfolds a folded span, moves to the first child of an unfolded one, and stays on a leaf', () => {
  expect(press('ArrowRight', 0, [0])).toEqual({ span: 0, fold: false })
  expect(press('ArrowRight', 0)).toEqual({ place: 1 })
  expect(press('ArrowRight', 2)).toEqual({ place: 2 })
})

test('Left folds an unfolded span, moves from a leaf or a folded span to its parent, and stays on a folded root', () => {
  expect(press('ArrowLeft', 1)).toEqual({ span: 1, fold: true })
  expect(press('ArrowLeft', 3)).toEqual({ place: 0 })
  expect(press('ArrowLeft', 1, [1])).toEqual({ place: 0 })
  expect(press('ArrowLeft', 0, [0])).toEqual({ place: 0 })
})
