/** Prices per million tokens, as decimal amounts of the currency. */
export type Prices = { input: string; output: string; currency: string }

/** Converts a decimal amount with at most six places to millionths of the currency. */
export function micros(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}

/** Converts millionths to a decimal amount without trailing zeros. */
export function decimal(value: bigint): string {
  const fraction = (value % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return fraction === '' ? `${value / 1_000_000n}` : `${value / 1_000_000n}.${fraction}`
}

/** The cost of these tokens in millionths, rounded up so that rounding never overdraws a budget. */
export function costMicros(prices: Prices, tokens: { input: number; output: number }): bigint {
  const exact = BigInt(tokens.input) * micros(prices.input) + BigInt(tokens.output) * micros(prices.output)
  return (exact + 999_999n) / 1_000_000n
}

/** The number of tokens, and their cost where prices are known. */
export const costOf = (
  tokens: { input: number; output: number },
  prices: Prices | undefined,
): { tokens: number; cost?: { amount: string; currency: string } } => ({
  tokens: tokens.input + tokens.output,
  ...(prices === undefined ? {} : { cost: { amount: decimal(costMicros(prices, tokens)), currency: prices.currency } }),
})
