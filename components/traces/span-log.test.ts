import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Span } from '#lib/schemas/traces.ts'
import { createSpanLog } from './span-log.ts'

const span = (spanId: string, endedAt: string | null = null): Span => ({
  spanId,
  parentSpanId: null,
  name: spanId,
  kind: 'tool',
  status: 'unset',
  statusMessage: null,
  startedAt: '2026-11-20T13:00:00.000Z',
  endedAt,
  attributes: [],
})
const ended = '2026-11-20T13:00:01.000Z'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('what streams in is shown within 250 ms, in one go', () => {
  const log = createSpanLog()
  const told = vi.fn()
  log.subscribe(told)
  for (let i = 0; i < 50; i++) log.take(span(`s${i}`))
  expect(log.snapshot()).toHaveLength(0)
  vi.advanceTimersByTime(250)
  expect(log.snapshot()).toHaveLength(50)
  expect(told).toHaveBeenCalledTimes(1)
})

test('a batch does not wait longer because more comes in', () => {
  const log = createSpanLog()
  log.take(span('a'))
  vi.advanceTimersByTime(200)
  log.take(span('b'))
  vi.advanceTimersByTime(50)
  expect(log.snapshot()).toHaveLength(2)
})

test('the first read is shown at once', () => {
  const log = createSpanLog()
  log.takeAll([span('a'), span('b')])
  expect(log.snapshot().map((one) => one.spanId)).toEqual(['a', 'b'])
  expect(log.indexOf('b')).toBe(1)
})

test('the end of a span replaces its start, and nothing opens it again', () => {
  const log = createSpanLog()
  log.takeAll([span('a'), span('b')])
  log.takeAll([span('a', ended)])
  log.takeAll([span('a')])
  expect(log.snapshot().map((one) => one.endedAt)).toEqual([ended, null])
})

test('the snapshot stays the same array while nothing comes', () => {
  const log = createSpanLog()
  log.takeAll([span('a')])
  const before = log.snapshot()
  log.takeAll([])
  expect(log.snapshot()).toBe(before)
})
