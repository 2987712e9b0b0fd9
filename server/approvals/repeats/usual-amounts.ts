import type { ApprovalHistory, Money } from '#lib/schemas/approvals.ts'

/** How many decided requests the usual amounts come from. */
export const comparedDecisions = 200
/** Fewer amounts than these don't say what is usual. */
const fewest = 5

/** The range of eight in ten of these amounts, in this currency. Null with too few of them. */
export function usualAmounts(
  currency: string | undefined,
  approved: readonly (Money | null)[],
): ApprovalHistory['usual'] {
  const amounts = approved
    .flatMap((one) => (one !== null && one.currency === currency ? [one.value] : []))
    .sort((a, b) => Number(a) - Number(b))
  const [low, median, high] = [0.1, 0.5, 0.9].map((share) => amounts[Math.round(share * (amounts.length - 1))])
  if (currency === undefined || amounts.length < fewest) return null
  if (low === undefined || median === undefined || high === undefined) return null
  return { currency, low, median, high, amounts }
}
