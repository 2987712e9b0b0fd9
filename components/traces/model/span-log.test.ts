import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSpanLog } from './span-log.ts'
import type { TraceSpan } from './trace-span.ts'

const span = (spanId: string, endedAt: number | null = null): TraceSpan => ({
  spanId,
  parentSpanId: null,
  name: spanId,
  kind: 'tool',
  status: 'unset',
  startedAt: 0,
  endedAt,
})
const ended = 1000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('spans of the stream are shown within 250 ms, in one update', () => {
  const log = createSpanLog()
  const told = vi.fn()
  log.subscribe(told)
  for (let i = 0; i < 50; i++) log.take(span(`s${i}`))
  expect(log.snapshot()).toHaveLength(0)
  vi.advanceTimersByTime(250)
  expect(log.snapshot()).toHaveLength(50)
  expect(told).toHaveBeenCalledTimes(1)
})

test('a batch is not delayed when more spans arrive', () => {
  const log = createSpanLog()
  log.take(span('a'))
  vi.advanceTimersByTime(200)
  log.take(span('b'))
  vi.advanceTimersByTime(50)
  expect(log.snapshot()).toHaveLength(2)
})

test('the initial load is shown immediately', () => {
  const log = createSpanLog()
  log.takeAll([span('a'), span('b')])
  expect(log.snapshot().map((one) => one.spanId)).toEqual(['a', 'b'])
  expect(log.indexOf('b')).toBe(1)
})

test('the end of a span replaces its start, and no later event reopens it', () => {
  const log = createSpanLog()
  log.takeAll([span('a'), span('b')])
  log.takeAll([span('a', ended)])
  log.takeAll([span('a')])
  expect(log.snapshot().map((one) => one.endedAt)).toEqual([ended, null])
})

test('the snapshot is the same array until a span arrives', () => {
  const log = createSpanLog()
  log.takeAll([span('a')])
  const before = log.snapshot()
  log.takeAll([])
  expect(log.snapshot()).toBe(before)
})
