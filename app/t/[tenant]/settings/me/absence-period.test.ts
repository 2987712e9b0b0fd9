import { expect, test } from 'vitest'
import { periodOf } from './absence-period.ts'

const now = Date.parse('2026-11-20T14:00:00Z')
const of = (first: string, last: string) => periodOf({ first, last }, now)

test('an absence that starts today begins now, and every absence ends with its last day', () => {
  expect(of('2026-11-20', '2026-11-20')).toEqual({ until: '2026-11-21T00:00:00.000Z' })
  expect(of('2026-12-01', '2026-12-03')).toEqual({
    from: '2026-12-01T00:00:00.000Z',
    until: '2026-12-04T00:00:00.000Z',
  })
})

test('a problem names the field with the invalid day', () => {
  expect(of('', '2026-11-21')).toMatchObject({ field: 'first' })
  expect(of('2026-02-31', '2026-11-21')).toMatchObject({ field: 'first' })
  expect(of('2026-11-19', '2026-11-21')).toMatchObject({ field: 'first' })
  expect(of('2026-11-21', '')).toMatchObject({ field: 'last' })
  expect(of('2026-11-22', '2026-11-21')).toMatchObject({ field: 'last' })
})

test('an absence can last up to 92 days', () => {
  expect(of('2026-12-01', '2027-03-02')).toMatchObject({ until: '2027-03-03T00:00:00.000Z' })
  expect(of('2026-12-01', '2027-03-03')).toMatchObject({ field: 'last', message: expect.stringContaining('92') })
})
