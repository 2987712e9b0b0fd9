import * as language from '#components/texts/language/en.ts'
import * as inLocale from '#lib/format.ts'
import { listFormat, numberFormat } from '#lib/formatters.ts'

// Numbers, amounts, sizes and lists in the language of the page. Times are in components/ui/text/time-format.ts.

const lists = () => listFormat(language.dates, { type: 'conjunction' })
const choices = () => listFormat(language.dates, { type: 'disjunction' })

/** `12,400`. */
export const formatNumber = (value: number): string => numberFormat(language.tag).format(Math.round(value))

/** `1.4`, `2`. */
export const formatTenths = (value: number): string =>
  numberFormat(language.tag, { maximumFractionDigits: 1 }).format(value)

/** `3.1 %`, `12 %`. */
export function formatShare(share: number): string {
  const percent = share * 100
  const decimals = percent === 0 || percent >= 10 ? 0 : 1
  return `${numberWith(decimals, percent)} %`
}

/** `€4,200.00`, `−€5.00`; undefined for a unit that is not a currency. Intl writes a hyphen, which is narrower than a minus sign. */
export const formatMoney = (value: string, currency: string): string | undefined =>
  inLocale.formatMoney(value, currency, language.tag)?.replace('-', '−')

/** `1.23 s`, `2 min 5 s`. */
export const formatDuration = (milliseconds: number): string => inLocale.formatDuration(milliseconds, language.tag)

/** `1.2 kB`. */
export const formatBytes = (bytes: number): string => inLocale.formatBytes(bytes, language.tag)

/** `a, b and c`. */
export const formatList = (names: readonly string[]): string => lists().format(names)

/** The names of `formatList` and what is between them, for names that are drawn as elements. */
export const listParts = (names: readonly string[]): { isName: boolean; text: string }[] =>
  lists()
    .formatToParts(names)
    .map(({ type, value }) => ({ isName: type === 'element', text: value }))

/** `a, b or c`. */
export const formatChoice = (names: readonly string[]): string => choices().format(names)

const numberWith = (decimals: number, value: number): string =>
  numberFormat(language.tag, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value)
