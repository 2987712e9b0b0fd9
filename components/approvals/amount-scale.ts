import { formatNumber, formatTenths } from '#components/language/formats.ts'
import * as t from '#components/texts/requests/en.ts'
import type { UsualRange } from '#lib/schemas/approvals/usual.ts'
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

/** How an amount compares with the usual range and with those that were approved, in words. */
export function comparedWith(usual: Usual, money: Money): string {
  const { amounts } = usual
  const words = `${inWords(usual, money)}.`
  if (!isUnusual(usual, money)) return words
  const larger = amounts.filter((one) => Number(one) > Number(money.value)).length
  return t.ofLastApproved({ words, amounts: amounts.length, larger, none: String(larger === 0) })
}

/** How an amount compares with the usual range: "23 times the median", or "Within the usual range". */
export function inWords(usual: UsualRange, money: Money): string {
  if (Number(money.value) < Number(usual.low)) return t.smallerThanUsual
  if (!isUnusual(usual, money)) return t.withinUsualRange
  const times = timesOf(usual, money)
  return times === undefined ? t.largerThanUsual : t.timesMedian({ times })
}

export const isUnusual = ({ high }: UsualRange, { value }: Money): boolean => Number(value) > Number(high)

/** "23", or "1.4" below ten. Undefined for a median of zero. */
export function timesOf({ median }: UsualRange, { value }: Money): string | undefined {
  if (Number(median) <= 0) return undefined
  const times = Number(value) / Number(median)
  return times < 10 ? formatTenths(times) : formatNumber(times)
}
