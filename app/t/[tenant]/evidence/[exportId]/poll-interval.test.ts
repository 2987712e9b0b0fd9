import { expect, test } from 'vitest'
import { pollInterval } from './poll-interval.ts'

test('it begins quickly, grows, and stays bounded', () => {
  const intervals = Array.from({ length: 60 }, (_, looks) => pollInterval(looks))
  expect(intervals[0]).toBe(500)
  expect(intervals).toEqual([...intervals].sort((a, b) => a - b))
  expect(intervals.at(-1)).toBe(10_000)
})
