import { expect, test } from 'vitest'
import { linesOf } from './line.ts'
import { usualOf } from './usual.ts'

test('the usual range has eight of ten earlier days, and not today', () => {
  expect(usualOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99])).toEqual({ low: 1, high: 9 })
  expect(usualOf([4, 4, null, 4, 4, 4, 100])).toEqual({ low: 4, high: 4 })
})

test('a few days are too few for a usual range', () => {
  expect(usualOf([1, 2, 3, 4, 100])).toBeUndefined()
  expect(usualOf([null, null, null, null, null, null, 1])).toBeUndefined()
})

test('the line has a point for each day with a figure, and is broken where there is none', () => {
  const frame = { width: 130, height: 40 }
  const { lines, last } = linesOf([0, 10, null, 5], frame, undefined)
  expect(lines).toEqual(['4,36 44.7,4', '126,20'])
  expect(last).toEqual({ x: 126, y: 20 })
  expect(linesOf([null, null], frame, undefined)).toEqual({ lines: [], last: undefined, band: undefined })
  // Days without a difference lie on the ground, not in the middle of nothing.
  expect(linesOf([0, 0], frame, undefined).lines).toEqual(['4,36 126,36'])
})

test('the usual range is drawn in the same scale', () => {
  expect(linesOf([0, 10], { width: 130, height: 40 }, { low: 5, high: 10 }).band).toEqual({ y: 4, height: 16 })
})
