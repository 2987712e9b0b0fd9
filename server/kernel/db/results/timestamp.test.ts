import pg from 'pg'
import { expect, test } from 'vitest'
import { parseTimestamp } from './timestamp.ts'

const theirs = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

test.each([
  '2026-11-30 20:03:46.123456+00',
  '2026-11-30 20:03:46.999999+00',
  '2026-11-30 20:03:46.5+00',
  '2026-11-30 20:03:46.05+00',
  '2026-11-30 20:03:46.001+00',
  '2026-11-30 20:03:46.0001+00',
  '2026-11-30 20:03:46+00',
  '1000-01-01 00:00:00+00',
  '1969-12-31 23:59:59.9999+00',
  '2024-02-29 23:59:59+00',
  '9999-12-31 23:59:59.999999+00',
  '0099-01-01 00:00:00+00',
  '12026-11-30 20:03:46.123456+00',
  '0044-03-15 12:00:00+00 BC',
  '2026-11-30 21:03:46.123456+01',
  '2026-11-30 16:33:46.123456-03:30',
  '1890-01-01 00:53:28+00:53:28',
  'infinity',
  '-infinity',
])('%s is the same time as for the driver', (text) => {
  expect(parseTimestamp(text)).toEqual(theirs(text))
})

test('random times of nine thousand years are the same', () => {
  for (let index = 0; index < 20_000; index++) {
    const at = new Date(-30_000_000_000_000 + Math.floor(Math.random() * 280_000_000_000_000))
    const more = String(Math.floor(Math.random() * 1000)).padStart(3, '0')
    const fraction = `${at.toISOString().slice(20, 23)}${more}`.replace(/0+$/, '')
    const text = `${at.toISOString().slice(0, 19).replace('T', ' ')}${fraction === '' ? '' : `.${fraction}`}+00`
    expect(parseTimestamp(text), text).toEqual(theirs(text))
  }
})
