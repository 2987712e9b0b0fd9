import { expect, test } from 'vitest'
import { formatAbsolute, formatClock, formatRelative, formatSeconds, zoneName } from './time-format.ts'

const AT = new Date('2026-11-20T14:20:00Z')

test('an absolute time names its zone', () => {
  expect(formatAbsolute(AT, 'UTC')).toBe('20 Nov 2026, 14:20 UTC')
  expect(formatAbsolute(AT, 'Europe/Berlin')).toBe('20 Nov 2026, 15:20 CET')
  expect(formatClock(AT, 'Asia/Kolkata')).toBe('19:50 GMT+5:30')
})

test('the zone name follows daylight saving', () => {
  expect(zoneName('Europe/Berlin', new Date('2026-07-01T00:00:00Z'))).toBe('CEST')
})

test('midnight is 00, not 24', () => {
  expect(formatClock(new Date('2026-11-20T00:05:00Z'), 'UTC')).toBe('00:05 UTC')
})

test.each([
  [42, 'in 42 min'],
  [0.5, 'in less than a minute'],
  [0, 'just now'],
  [-0.5, 'just now'],
  [-18, '18 min ago'],
  [80, 'in 1 h 20 min'],
  [-119, '1 h 59 min ago'],
  [120, 'in 2 h'],
  [-47 * 60, '47 h ago'],
  [-72 * 60, '3 days ago'],
])('%d minutes from now is "%s"', (distance, text) => {
  expect(formatRelative(AT, AT.getTime() - distance * 60_000)).toBe(text)
})

test('an unknown zone is refused', () => {
  expect(() => formatClock(AT, 'Mars/Olympus')).toThrow(RangeError)
})

test('a time to the second is the one of a record', () => {
  expect(formatSeconds(new Date('2026-11-20T14:20:07.999Z'), 'Europe/Berlin')).toBe('20 Nov 2026, 15:20:07 CET')
})
