import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatMoney } from './format.ts'

test.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [0.25, '0.3 ms'],
  [999, '999 ms'],
  [1000, '1.00 s'],
  [1239, '1.23 s'],
  [12_345, '12.3 s'],
  [59_999, '59.9 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [4_800_000, '1 h 20 min'],
  [86_400_000, '1 d'],
  [100 * 3_600_000, '4 d 4 h'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [999, '999 B'],
  [1234, '1.2 kB'],
  [48_400_000, '48 MB'],
  [999_999, '1.0 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('uses the singular for one', () => {
  expect(formatCount(1, 'entry', 'entries')).toBe('1 entry')
  expect(formatCount(12_400, 'span')).toBe('12,400 spans')
})

test.each([
  ['4200.00', 'EUR', '€4,200.00'],
  ['0.10', 'USD', '$0.10'],
  ['123456789012.34', 'EUR', '€123,456,789,012.34'],
  [12, 'GBP', '£12.00'],
  ['1e9', 'EUR', undefined],
  ['12', 'euro', undefined],
  [undefined, 'EUR', undefined],
])('%s %s is %s', (amount, currency, expected) => {
  expect(formatMoney(amount, currency)).toBe(expected)
})
