import { expect, test } from 'vitest'
import { dayFrom, periodOf } from './period.ts'

test('only valid days are accepted', () => {
  expect(dayFrom('2026-02-28')).toBe('2026-02-28')
  for (const text of [null, '', 'yesterday', '2026-13-01', '0202-01-01', '2026-02-28T00:00:00Z'])
    expect(dayFrom(text)).toBe('')
})

test('the period includes the last day', () => {
  expect(periodOf({ from: '2026-02-28', to: '2026-02-28' })).toEqual({
    from: '2026-02-28T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
  })
  expect(periodOf({ from: '', to: '' })).toEqual({})
  expect(periodOf({ from: '', to: '9999-12-31' })).toEqual({})
})
