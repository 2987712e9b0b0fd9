import { numberFormat } from './formatters.ts'
import type { JsonValue } from './json.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A duration for people: `0 ms`, `340 ms`, `1.23 s`, `2 min 5 s`, `1 h 20 min`, `3 d 4 h`. In milliseconds; negative counts as 0. */
export function formatDuration(milliseconds: number, locale = 'en'): string {
  const ms = Math.max(0, milliseconds)
  if (ms < SECOND) return `${ms < 10 && ms % 1 !== 0 ? decimal(ms, 1, locale) : Math.floor(ms)} ms`
  // Rounded down, so that 59.99 s isn't written as a minute's worth of seconds.
  if (ms < 10 * SECOND) return `${decimal(Math.floor(ms / 10) / 100, 2, locale)} s`
  if (ms < MINUTE) return `${decimal(Math.floor(ms / 100) / 10, 1, locale)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', SECOND, 's')
  if (ms < DAY) return pair(ms, HOUR, 'h', MINUTE, 'min')
  return pair(ms, DAY, 'd', HOUR, 'h')
}

/** As `toFixed`, with the decimal separator of the locale. */
const decimal = (value: number, digits: number, locale: string): string =>
  numberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  }).format(value)

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** A size for people, in powers of 1000: `812 B`, `1.2 kB`, `48 MB`. */
export function formatBytes(bytes: number, locale = 'en'): string {
  let size = bytes
  let unit = 0
  while (size >= 999.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : decimal(size, 1, locale)} ${BYTE_UNITS[unit]}`
}

/** `1 span`, `12,400 spans`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${numberFormat('en').format(count)} ${count === 1 ? one : many}`
}

/** "€4,200.00" for a decimal string or number and an ISO 4217 code; undefined when they are not an amount of money. */
export function formatMoney(
  amount: JsonValue | undefined,
  currency: JsonValue | undefined,
  locale = 'en',
): string | undefined {
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return undefined
  const value = typeof amount === 'number' ? String(amount) : amount
  if (typeof value !== 'string' || !/^-?\d{1,15}(\.\d{1,4})?$/.test(value)) return undefined
  try {
    // A decimal string is formatted exactly; a double would round large amounts.
    return numberFormat(locale, { style: 'currency', currency }).format(value as `${number}`)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
