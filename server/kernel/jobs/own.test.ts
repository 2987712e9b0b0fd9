import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ownJobs } from './own.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const run = () => Promise.resolve()

test('a job is known once', () => {
  const known = ownJobs()
  known.keep('a', run)
  expect(known.take('b')).toBeUndefined()
  expect(known.take('a')).toBe(run)
  expect(known.take('a')).toBeUndefined()
})

test('a job that waits for ten seconds is run from the tables', () => {
  const known = ownJobs()
  known.keep('a', run)
  vi.advanceTimersByTime(9000)
  known.keep('b', run)
  vi.advanceTimersByTime(1000)
  expect(known.take('a')).toBeUndefined()
  expect(known.take('b')).toBe(run)
})

test('of too many, those that are run first are kept', () => {
  const known = ownJobs()
  for (let index = 0; index <= 1000; index++) known.keep(String(index), run)
  expect(known.take('0')).toBe(run)
  expect(known.take('999')).toBe(run)
  expect(known.take('1000')).toBeUndefined()
  vi.advanceTimersByTime(10_000)
  known.keep('1000', run)
  expect(known.take('1000')).toBe(run)
})
