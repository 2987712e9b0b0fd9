import type { Money } from '#lib/schemas/approvals.ts'

/** Orders by amount, the largest first and what lacks an amount last. Currencies are not converted. */
export const byAmount = (one: Amount, other: Amount): number => amountOf(other) - amountOf(one)

type Amount = { value: Money['value'] } | null | undefined
const amountOf = (amount: Amount): number => (amount == null ? Number.NEGATIVE_INFINITY : Number(amount.value))
