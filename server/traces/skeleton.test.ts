import { expect, test } from 'vitest'
import { type SkeletonRow, skeletonOf } from './skeleton.ts'

const row = (spanId: string, parentSpanId: string | null, started: number, name = spanId): SkeletonRow => ({
  spanId,
  parentSpanId,
  name,
  kind: 'tool',
  status: 'ok',
  started,
  ended: started + 5,
})

test('columns are in pre-order, with the row after the last descendant, for any order of the spans', () => {
  const skeleton = skeletonOf([
    row('d', 'b', 40, 'same'),
    row('b', 'a', 20, 'same'),
    row('c', 'a', 30),
    { ...row('a', null, 10), ended: null },
  ])
  expect(skeleton).toMatchObject({
    spanIds: ['a', 'b', 'd', 'c'],
    names: ['a', 'same', 'c'],
    name: [0, 1, 1, 2],
    start: [0, 10, 30, 20],
    duration: [-1, 5, 5, 5],
    parent: [-1, 0, 1, 0],
    end: [4, 3, 3, 4],
    depth: [0, 1, 2, 1],
  })
})

test('a span without its parent is at the top level, and circles lose nothing', () => {
  const lost = skeletonOf([row('a', 'gone', 2), row('b', 'b', 1)])
  expect(lost.depth).toEqual([0, 0])
  expect(lost.missingParents).toEqual([{ row: 1, parentId: 'gone' }])
  const circle = skeletonOf([row('x', 'y', 1), row('y', 'x', 2), row('z', 'y', 3)])
  expect([...circle.spanIds].sort()).toEqual(['x', 'y', 'z'])
  expect(circle.parent.filter((parent) => parent === -1)).toHaveLength(1)
})

test('a trace as deep as it has spans and a span with a hundred thousand children are laid out', () => {
  const deep = Array.from({ length: 50_000 }, (_, index) =>
    row(`s${index}`, index === 0 ? null : `s${index - 1}`, index),
  )
  expect(skeletonOf(deep).depth.at(-1)).toBe(49_999)
  const wide = Array.from({ length: 100_000 }, (_, index) => row(`s${index}`, index === 0 ? null : 's0', index))
  expect(skeletonOf(wide).end[0]).toBe(100_000)
})
