import { expect, test } from 'vitest'
import { formatBytes as bytesIn, formatDuration as durationIn, formatMoney as moneyIn } from '#lib/format.ts'
import { formatChoice, formatDuration, formatMoney, formatNumber, formatShare } from './formats.ts'

test('English numbers, shares, amounts and choices', () => {
  expect(formatNumber(12_400.4)).toBe('12,400')
  expect([0, 0.031, 0.124].map(formatShare)).toEqual(['0 %', '3.1 %', '12 %'])
  expect(formatMoney('4200.00', 'EUR')).toBe('€4,200.00')
  expect(formatMoney('-5.00', 'EUR')).toBe('\u2212€5.00')
  expect(formatMoney('4200.00', 'tokens')).toBeUndefined()
  expect(formatDuration(1234)).toBe('1.23 s')
  expect(formatChoice(['a developer', 'an operator', 'an auditor'])).toBe('a developer, an operator or an auditor')
})

test('German durations, sizes and amounts have a decimal comma', () => {
  expect(durationIn(1234, 'de')).toBe('1,23 s')
  expect(bytesIn(1234, 'de')).toBe('1,2 kB')
  expect(moneyIn('4200.00', 'EUR', 'de')?.replaceAll('\u00a0', ' ')).toBe('4.200,00 €')
})
