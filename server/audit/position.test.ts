import { expect, test } from 'vitest'
import { after, dayBefore, readPosition, writtenPosition } from './position.ts'

test('a position is read as it was written', () => {
  const position = { date: '2026-03-01', seen: 12, before: 40 }
  expect(readPosition(writtenPosition(position))).toEqual(position)
  expect(dayBefore('2026-03-01')).toBe('2026-02-28')
})

test('counts the records of a day, and those that the day before still gets after midnight', () => {
  const records = [
    { date: '2026-02-28', seq: 7 },
    { date: '2026-03-01', seq: 0 },
    { date: '2026-02-28', seq: 8 },
    { date: '2026-03-01', seq: 1 },
  ]
  const position = records.reduce(after, { date: '2026-02-28', seen: 7, before: 3 })
  expect(position).toEqual({ date: '2026-03-01', seen: 2, before: 9 })
})

test('counts zero records of the day before if that day was empty', () => {
  expect(after({ date: '2026-02-01', seen: 9, before: 1 }, { date: '2026-03-01', seq: 0 })).toEqual({
    date: '2026-03-01',
    seen: 1,
    before: 0,
  })
})
