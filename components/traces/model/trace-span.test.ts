import { expect, test } from 'vitest'
import { spansOfSkeleton } from './trace-span.ts'

test('columns become spans: parents by row, microseconds as milliseconds, unknown values as the most general ones', () => {
  const spans = spansOfSkeleton({
    startedAt: '1970-01-01T00:00:10.000Z',
    names: ['run', 'call'],
    spanIds: ['a', 'b', 'c'],
    name: [0, 1, 1],
    start: [0, 1500, 2000],
    duration: [-1, 250, 0],
    parent: [-1, 0, 1],
    end: [3, 3, 3],
    depth: [0, 1, 2],
    kind: ['agent', 'tool', 'of a later version'],
    status: ['unset', 'error', 'of a later version'],
    missingParents: [],
  })
  expect(spans).toEqual([
    { spanId: 'a', parentSpanId: null, name: 'run', kind: 'agent', status: 'unset', startedAt: 10_000, endedAt: null },
    {
      spanId: 'b',
      parentSpanId: 'a',
      name: 'call',
      kind: 'tool',
      status: 'error',
      startedAt: 10_001.5,
      endedAt: 10_001.75,
    },
    {
      spanId: 'c',
      parentSpanId: 'b',
      name: 'call',
      kind: 'other',
      status: 'unset',
      startedAt: 10_002,
      endedAt: 10_002,
    },
  ])
})

test('a span whose parent is missing keeps the parent’s id', () => {
  const spans = spansOfSkeleton({
    startedAt: '1970-01-01T00:00:10.000Z',
    names: ['call'],
    spanIds: ['a'],
    name: [0],
    start: [0],
    duration: [1],
    parent: [-1],
    end: [1],
    depth: [0],
    kind: ['tool'],
    status: ['ok'],
    missingParents: [{ row: 0, parentId: 'gone' }],
  })
  expect(spans[0]?.parentSpanId).toBe('gone')
})
