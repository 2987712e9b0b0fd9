import * as t from '#components/texts/approval-grant/en.ts'
import type { Answers } from '#lib/trpc.ts'

type Preview = Answers['approvals']['previewGrant']

/** The rule for an argument as the form has it. `text`: a pattern, or the most that one call may reach. */
export type DraftRule = { is: 'equal' | 'like' | 'any' | 'amount'; text: string }
export type Draft = { rules: Record<string, DraftRule>; total: string; uses: string; days: string }

export const lasting = [1, 7, 30, 90].map((days) => ({
  value: String(days),
  label: days === 1 ? t.oneDay : t.days({ days }),
}))

/** Starts with what lets least run: calls with the same arguments. */
export function draftOf({ arguments: args, amount }: Preview): Draft {
  return {
    rules: Object.fromEntries(
      args.map(({ argument, value }) => [
        argument,
        argument === amount?.argument
          ? { is: 'amount' as const, text: amount.value }
          : { is: 'equal' as const, text: typeof value === 'string' ? value : '' },
      ]),
    ),
    total: amount === null ? '' : amount.value,
    uses: '10',
    days: '30',
  }
}

const decimal = /^\d{1,9}(\.\d{1,6})?$/

/** Undefined while something is missing. `now`: in milliseconds. To whole hours, so that equal drafts are equal terms. */
export function termsOf({ rules, total, uses, days }: Draft, { amount }: Preview, now = Date.now()) {
  const count = /^\d{1,4}$/.test(uses) ? Number(uses) : 0
  if (count < 1) return undefined
  const entries = Object.entries(rules)
  if (entries.some(([, { is, text }]) => is === 'like' && text === '')) return undefined
  const ceiling = amount === null ? undefined : rules[amount.argument]
  if (ceiling !== undefined && !(decimal.test(ceiling.text) && decimal.test(total))) return undefined
  const hour = 3_600_000
  return {
    like: entries.flatMap(([argument, { is, text }]) => (is === 'like' ? [{ argument, pattern: text }] : [])),
    any: entries.flatMap(([argument, { is }]) => (is === 'any' ? [argument] : [])),
    ...(amount !== null &&
      ceiling !== undefined && { ceiling: { argument: amount.argument, perCall: ceiling.text, total } }),
    uses: count,
    until: new Date(Math.floor(now / hour) * hour + Number(days) * 24 * hour).toISOString(),
  }
}
