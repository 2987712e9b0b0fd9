import { expect, test } from 'vitest'
import { formatSoFar, soFar } from './so-far.ts'

const started = Date.parse('2026-11-30T13:10:33.250Z')
const after = (ms: number): string => formatSoFar(soFar(started, started + ms))

test('a time that still runs is in whole seconds, and never longer than it is', () => {
  expect([0, 999, 1_550, 9_999, 16_700, 59_999].map(after)).toEqual(['0 s', '0 s', '1 s', '9 s', '16 s', '59 s'])
})

test('a long one is coarser', () => {
  expect([60_000, 69_999, 125_000, 4_859_000].map(after)).toEqual(['1 min', '1 min', '2 min', '1 h 20 min'])
})

test('a clock behind the server’s shows nothing below zero', () => {
  expect(after(-3_000)).toBe('0 s')
})
