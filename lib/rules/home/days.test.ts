import { expect, test } from 'vitest'
import { isTimeZone, startsOfDays } from './days.ts'

const starts = (now: string, zone: string, count: number) =>
  startsOfDays(new Date(now), zone, count).map((start) => start.toISOString())

test('days begin at midnight of the zone', () => {
  expect(starts('2026-11-23T13:06:00.000Z', 'UTC', 2)).toEqual(['2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'])
  expect(starts('2026-11-23T23:30:00.000Z', 'Europe/Berlin', 2)).toEqual([
    '2026-11-22T23:00:00.000Z',
    '2026-11-23T23:00:00.000Z',
  ])
  expect(starts('2026-11-23T02:00:00.000Z', 'America/New_York', 1)).toEqual(['2026-11-22T05:00:00.000Z'])
  expect(starts('2026-11-23T20:00:00.000Z', 'Asia/Kolkata', 1)).toEqual(['2026-11-23T18:30:00.000Z'])
})

test('a day on which the clock changes is longer or shorter', () => {
  expect(starts('2026-10-26T12:00:00.000Z', 'Europe/Berlin', 3)).toEqual([
    '2026-10-23T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
  ])
  // Midnight does not exist on this day in Santiago.
  expect(starts('2026-09-07T12:00:00.000Z', 'America/Santiago', 3)).toEqual([
    '2026-09-05T04:00:00.000Z',
    '2026-09-06T04:00:00.000Z',
    '2026-09-07T03:00:00.000Z',
  ])
})

test('days follow each other over the end of a month and a year', () => {
  expect(starts('2027-01-01T10:00:00.000Z', 'UTC', 2)).toEqual(['2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'])
})

test('only names of zones are zones', () => {
  expect(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'].map(isTimeZone)).toEqual([true, true, true])
  expect(['', 'Berlin', "UTC'; drop table approvals"].map(isTimeZone)).toEqual([false, false, false])
})
