import { expect, test } from 'vitest'
import { costMicros, decimal, micros } from './cost.ts'

test.each([
  ['0', 0n],
  ['2.5', 2_500_000n],
  ['0.000001', 1n],
  ['12.340000', 12_340_000n],
])('%s is %s millionths, and back', (amount, value) => {
  expect(micros(amount)).toBe(value)
  expect(micros(decimal(value))).toBe(value)
})

test('tokens cost their list price, rounded up', () => {
  const prices = { input: '0.25', output: '2', currency: 'USD' }
  expect(costMicros(prices, { input: 1_000_000, output: 500_000 })).toBe(1_250_000n)
  expect(costMicros(prices, { input: 1, output: 0 })).toBe(1n)
  expect(costMicros(prices, { input: 0, output: 0 })).toBe(0n)
})
