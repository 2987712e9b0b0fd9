import { expect, test } from 'vitest'
import { timeAxis } from './time-axis.ts'

test('without a long pause the axis is even', () => {
  const axis = timeAxis([0, 1000, 2500, 4000])
  expect(axis.folds).toEqual([])
  expect([0, 1000, 2000, 4000].map(axis.place)).toEqual([0, 0.25, 0.5, 1])
})

test('an hour of waiting between two short calls is folded, which leaves the room to the calls', () => {
  const hour = 3_600_000
  const axis = timeAxis([0, 100, 100 + hour, 200 + hour])
  expect(axis.folds).toHaveLength(1)
  expect(axis.folds[0]).toMatchObject({ from: 100, to: 100 + hour, width: 0.08 })
  expect(axis.place(100)).toBeCloseTo(0.46)
  expect(axis.place(100 + hour)).toBeCloseTo(0.54)
  expect(axis.place(100 + hour / 2)).toBeCloseTo(0.5)
  expect(axis.place(200 + hour)).toBeCloseTo(1)
})

test('several pauses fold in chronological order, and positions never decrease', () => {
  const axis = timeAxis([0, 50, 900_000, 900_100, 5_000_000, 5_000_200])
  expect(axis.folds.map((fold) => fold.from)).toEqual([50, 900_100])
  const places = [0, 50, 10_000, 900_000, 900_050, 900_100, 2_000_000, 5_000_000, 5_000_200].map(axis.place)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

test('a single wait from beginning to end is not folded to nothing', () => {
  const axis = timeAxis([0, 3_600_000])
  expect(axis.folds).toEqual([])
  expect(axis.place(1_800_000)).toBeCloseTo(0.5)
})

test('times outside the axis are clamped to its ends', () => {
  const axis = timeAxis([100, 200])
  expect(axis.place(0)).toBe(0)
  expect(axis.place(900)).toBe(1)
})

test.each([[[]], [[5]], [[5, 5]]])('an axis of %j has length 0 and does not yield NaN', (times) => {
  const axis = timeAxis(times)
  expect(axis.place(5)).toBe(0)
})

test('20,000 events do not overflow the stack', () => {
  const axis = timeAxis(Array.from({ length: 20_000 }, (_, i) => i))
  expect(axis.place(19_999)).toBe(1)
})
