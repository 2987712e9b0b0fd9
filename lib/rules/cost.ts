/** Prices of one million tokens, as decimal numbers of the currency. */
export type Prices = { input: string; output: string; currency: string }

/** Millionths of the currency in a decimal number with at most six places. */
export function micros(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}

/** A number of millionths as a decimal number, without zeros at its end. */
export function decimal(value: bigint): string {
  const fraction = (value % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return fraction === '' ? `${value / 1_000_000n}` : `${value / 1_000_000n}.${fraction}`
}

/** What these tokens cost, in millionths, rounded up: a budget is never overdrawn by rounding. */
export function costMicros(prices: Prices, tokens: { input: number; output: number }): bigint {
  const exact = BigInt(tokens.input) * micros(prices.input) + BigInt(tokens.output) * micros(prices.output)
  return (exact + 999_999n) / 1_000_000n
}

/** What tokens come to: their number, and what they cost where there are prices. */
export const costOf = (
  tokens: { input: number; output: number },
  prices: Prices | undefined,
): { tokens: number; cost?: { amount: string; currency: string } } => ({
  tokens: tokens.input + tokens.output,
  ...(prices === undefined ? {} : { cost: { amount: decimal(costMicros(prices, tokens)), currency: prices.currency } }),
})
