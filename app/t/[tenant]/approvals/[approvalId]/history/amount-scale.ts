import type { ApprovalHistory, Money } from '#lib/schemas/approvals.ts'

export type Usual = NonNullable<ApprovalHistory['usual']>

/** The smallest amount on a scale: zero does not have a logarithm. */
const smallest = 0.01

const log = (amount: string): number => Math.log10(Math.max(Number(amount), smallest))

/** Places amounts between 0 and 1 by their logarithm; all of `amounts` fit. */
export function scaleOf(amounts: readonly string[]): (amount: string) => number {
  const logs = amounts.map(log)
  const [from, to] = [Math.min(...logs), Math.max(...logs)]
  return (amount) => (to === from ? 0.5 : Math.min(1, Math.max(0, (log(amount) - from) / (to - from))))
}

/** How an amount compares with the usual range, in words. */
export function comparedWith({ low, median, high, amounts }: Usual, { value }: Money): string {
  const amount = Number(value)
  const larger = amounts.filter((one) => Number(one) > amount).length
  if (amount > Number(high))
    return `${timesOf(amount, Number(median))}. Of the last ${amounts.length} approved, ${larger === 0 ? 'none was' : larger === 1 ? '1 was' : `${larger} were`} larger.`
  return amount < Number(low) ? 'Smaller than usual.' : 'Within the usual range.'
}

export const isUnusual = ({ high }: Usual, { value }: Money): boolean => Number(value) > Number(high)

/** "23 times the median", or "1.4 times the median" below ten. */
function timesOf(amount: number, median: number): string {
  if (median <= 0) return 'Larger than usual'
  const times = amount / median
  return `${times < 10 ? times.toFixed(1).replace(/\.0$/, '') : Math.round(times).toLocaleString('en')} times the median`
}
