import { expect, test } from 'vitest'
import { totalCost } from './usage.ts'

const prices = new Map([
  ['small-1', { input: '0.50', output: '1.50', currency: 'USD' }],
  ['other', { input: '1', output: '1', currency: 'EUR' }],
])
const used = (model: string | null, cost: string | null = null) => ({
  model,
  inputTokens: 1_000_000,
  outputTokens: 2_000_000,
  cost,
  currency: cost === null ? null : 'USD',
})

test('the cost is the recorded one, or by the prices of the manifest', () => {
  expect(totalCost([used('small-1')], prices)).toEqual({ amount: '3.5', currency: 'USD' })
  expect(totalCost([used('small-1', '0.25'), used('small-1')], prices)).toEqual({ amount: '3.75', currency: 'USD' })
  expect(totalCost([used('unknown', '0.25')], prices)).toEqual({ amount: '0.25', currency: 'USD' })
})

test('a dated name has the price of the model without its date, and only that', () => {
  expect(totalCost([used('small-1-2026-07-18')], prices)?.amount).toBe('3.5')
  expect(totalCost([used('small-1-2026')], prices)?.amount).toBe('3.5')
  expect(totalCost([used('small-1-mini')], prices)).toBeNull()
})

test('it is unknown if a price is missing or the currencies differ', () => {
  expect(totalCost([used('small-1'), used('unknown')], prices)).toBeNull()
  expect(totalCost([used(null)], prices)).toBeNull()
  expect(totalCost([used('small-1'), used('other')], prices)).toBeNull()
  expect(totalCost([], prices)).toBeNull()
})
