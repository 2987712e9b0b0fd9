import { formatList, formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/approvals/en.ts'
import { isSameDay } from '#components/ui/text/time-format.ts'
import type { Request } from './filter.ts'

export type Group = { title: string; requests: Request[] }

const hourMs = 3_600_000

/** Groups requests by the time that is left; their order within a group is kept. `zone`: the one in which a day ends. */
export function groupByExpiry(requests: readonly Request[], now: number, zone: string): Group[] {
  const titleOf = ({ expiresAt, clockStopped }: Request): string => {
    if (clockStopped) return t.clockStopped
    const at = Date.parse(expiresAt)
    if (at - now <= hourMs) return t.expiresWithinHour
    if (isSameDay(new Date(at), new Date(now), zone)) return t.laterToday
    return at - now <= 7 * 24 * hourMs ? t.withinSevenDays : t.later
  }
  return [t.expiresWithinHour, t.laterToday, t.withinSevenDays, t.later, t.clockStopped].flatMap((title) => {
    const own = requests.filter((request) => titleOf(request) === title)
    return own.length === 0 ? [] : [{ title, requests: own }]
  })
}

/** The sum of all amounts, one for each currency: "€13,380.00 and $20.00"; '' without any. */
export function sumOf(requests: readonly Request[]): string {
  const sums = new Map<string, bigint>()
  for (const { amount } of requests)
    if (amount !== null) sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + tenThousandths(amount.value))
  return formatList(
    [...sums].map(([currency, sum]) => formatMoney(decimal(sum), currency) ?? '').filter((text) => text !== ''),
  )
}

/** Amounts have at most four decimals. A sum of doubles would be wrong by a cent. */
function tenThousandths(value: string): bigint {
  const [whole = '0', decimals = ''] = value.replace('-', '').split('.')
  const magnitude = BigInt(whole + decimals.padEnd(4, '0'))
  return value.startsWith('-') ? -magnitude : magnitude
}

function decimal(sum: bigint): string {
  const digits = (sum < 0n ? -sum : sum).toString().padStart(5, '0')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
}
