import { expect, test } from 'vitest'
import { rangeOf, touchesToday } from './range.ts'

const NOW = Date.parse('2026-11-20T23:59:59.999Z')
const NONE = { first: '', last: '' }

test('today is the whole UTC day', () => {
  expect(rangeOf('today', { custom: NONE, same: undefined, now: NOW })).toEqual({
    startDate: '2026-11-20T00:00:00.000Z',
    endDate: '2026-11-21T00:00:00.000Z',
  })
})

test('the period of an earlier export is kept to the second', () => {
  const same = { startDate: '2026-10-01T06:30:00.000Z', endDate: '2026-10-02T00:00:00.000Z' }
  expect(rangeOf('same', { custom: NONE, same, now: NOW })).toEqual(same)
})

test('seven days end with today', () => {
  expect(rangeOf('week', { custom: NONE, same: undefined, now: NOW })).toEqual({
    startDate: '2026-11-14T00:00:00.000Z',
    endDate: '2026-11-21T00:00:00.000Z',
  })
})

test('a custom range includes both of its days', () => {
  expect(rangeOf('custom', { custom: { first: '2026-10-31', last: '2026-11-01' }, same: undefined, now: NOW })).toEqual(
    {
      startDate: '2026-10-31T00:00:00.000Z',
      endDate: '2026-11-02T00:00:00.000Z',
    },
  )
})

test.each([
  ['', '2026-11-01', 'first'],
  ['2026-11-01', '', 'last'],
  ['2026-02-31', '2026-11-01', 'first'],
  ['20261-01-01', '2026-11-01', 'first'],
  ['1969-12-31', '2026-11-01', 'first'],
  ['2026-11-02', '2026-11-01', 'last'],
  ['2026-11-21', '2026-11-22', 'first'],
])('a range from "%s" to "%s" reports a problem with the %s day', (first, last, field) => {
  expect(rangeOf('custom', { custom: { first, last }, same: undefined, now: NOW })).toMatchObject({ field })
})

test('only a period that has not ended includes today', () => {
  expect(touchesToday({ startDate: '', endDate: '2026-11-21T00:00:00.000Z' }, NOW)).toBe(true)
  expect(touchesToday({ startDate: '', endDate: '2026-11-20T00:00:00.000Z' }, NOW)).toBe(false)
})
