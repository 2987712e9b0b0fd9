import { expect, it } from 'vitest'
import { dateFormat, numberFormat } from './formatters.ts'

it('makes the formatter of a locale and its options once', () => {
  const euros = numberFormat('en', { style: 'currency', currency: 'EUR' })
  expect(numberFormat('en', { style: 'currency', currency: 'EUR' })).toBe(euros)
  expect(numberFormat('de', { style: 'currency', currency: 'EUR' })).not.toBe(euros)
  expect(numberFormat('en', { style: 'currency', currency: 'USD' }).format(1)).toBe('$1.00')
  expect(numberFormat('en').format(1)).toBe('1')
  expect(dateFormat('en', { timeZone: 'UTC', year: 'numeric' }).format(0)).toBe('1970')
})

it('keeps a limited number', () => {
  const first = numberFormat('en', { style: 'currency', currency: 'AAA' })
  for (let n = 0; n < 100; n += 1)
    numberFormat('en', {
      style: 'currency',
      currency: `B${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}`,
    })
  const again = numberFormat('en', { style: 'currency', currency: 'AAA' })
  expect(again).not.toBe(first)
  expect(again.format(1)).toBe(first.format(1))
})

it('refuses what Intl does not know, each time', () => {
  for (const _ of [1, 2]) {
    expect(() => dateFormat('en', { timeZone: 'Europe/Nowhere' })).toThrow(RangeError)
    expect(() => numberFormat('en', { style: 'currency', currency: '€' })).toThrow(RangeError)
  }
})
