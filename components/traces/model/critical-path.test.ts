import { expect, test } from 'vitest'
import { criticalPath } from './critical-path.ts'
import { spanTree } from './span-tree.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (spanId: string, parentSpanId: string | null, startedAt: number, endedAt: number): TraceSpan => ({
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'tool',
  status: 'ok',
  startedAt,
  endedAt,
})
const pathOf = (spans: TraceSpan[]): string[] => {
  const starts = Float64Array.from(spans, (one) => one.startedAt)
  const ends = Float64Array.from(spans, (one) => one.endedAt ?? 0)
  return [...criticalPath(spanTree(spans), starts, ends)].map((index) => spans[index]?.spanId ?? '').sort()
}

test('of parallel spans the one that ends last is on the path; of sequential spans all are', () => {
  expect(
    pathOf([
      span('root', null, 0, 100),
      span('first', 'root', 0, 40),
      span('next to', 'root', 5, 30),
      span('second', 'root', 40, 95),
      span('inside', 'second', 50, 90),
      span('idle', 'second', 50, 60),
    ]),
  ).toEqual(['first', 'inside', 'root', 'second'])
})

test('a child that outlives its parent is not on the path, and of several roots the last to end counts', () => {
  expect(
    pathOf([
      span('early', null, 0, 10),
      span('root', null, 0, 50),
      span('late', 'root', 10, 60),
      span('within', 'root', 10, 50),
    ]),
  ).toEqual(['root', 'within'])
})

test('without spans the path is empty, and a chain of 50,000 spans does not overflow the stack', () => {
  expect(pathOf([])).toEqual([])
  const chain = Array.from({ length: 50_000 }, (_, i) => span(`${i}`, i === 0 ? null : `${i - 1}`, i, 100_000 - i))
  expect(pathOf(chain)).toHaveLength(50_000)
})
