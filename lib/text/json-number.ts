/** Shorter ones have at most 15 digits, which every double keeps. */
const surelyKept = 15
/** No program writes a number that a double keeps with more characters. */
const longest = 400

/** From here on programs write a power, so digits claim to be exact. */
const powersFrom = 1e21

const parts = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/

/**
 * Whether a number of a JSON text is the one that a program reads as a double and shows: the double, written with as many digits,
 * is the same. Digits from 10^21 on are never: programs show a power for them. True for a text that is not a number, which the
 * parser of JSON refuses, and for one beyond the range of doubles.
 */
export function isKeptByDouble(literal: string): boolean {
  const isPower = /[eE]/.test(literal)
  if (literal.length <= surelyKept && !isPower) return true
  if (literal.length > longest) return false
  const value = Number(literal)
  // As JavaScript writes it.
  if (String(value) === literal && (isPower || literal.includes('.'))) return true
  const { whole = '', fraction = '', exponent = '0' } = parts.exec(literal)?.groups ?? {}
  if (whole === '' || !Number.isFinite(value)) return true
  if (!isPower && Math.abs(value) >= powersFrom) return false
  const all = whole + fraction
  const significant = all.replace(/^0+/, '')
  const digits = significant.replace(/0+$/, '')
  if (digits === '') return true
  if (digits.length > 100) return false
  const power = whole.length - 1 - (all.length - significant.length) + Number(exponent)
  const [first, rest] = [digits.slice(0, 1), digits.slice(1)]
  const written = `${first}${rest === '' ? '' : `.${rest}`}e${power < 0 ? '' : '+'}${power}`
  return Math.abs(value).toExponential(rest.length) === written
}
