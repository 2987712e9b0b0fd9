import { canonicalJson } from '../../jcs.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { micros } from '../cost.ts'

/** What a standing grant asks of one argument of a call. `perCall`: a decimal amount. */
export type ArgumentRule =
  | { argument: string; is: 'equal'; value: JsonValue }
  | { argument: string; is: 'like'; pattern: string }
  | { argument: string; is: 'any' }
  | { argument: string; is: 'amount'; currency: string; perCall: string }

/** The argument that says in which currency an amount is. */
export const currencyArgument = 'currency'

/**
 * Whether a call is like those that a grant covers, and its amount in millionths if the grant has a ceiling. Every argument
 * of the call has a rule, and every rule is met: a call with a further argument does not match, nor does one without an argument that has a rule.
 */
export function matchOf(rules: readonly ArgumentRule[], args: JsonObject): { micros: bigint | null } | undefined {
  if (Object.keys(args).some((name) => !rules.some(({ argument }) => argument === name))) return undefined
  let amount: bigint | null = null
  for (const rule of rules) {
    const value = Object.hasOwn(args, rule.argument) ? args[rule.argument] : undefined
    if (value === undefined) return undefined
    if (rule.is === 'equal' && canonicalJson(value) !== canonicalJson(rule.value)) return undefined
    if (rule.is === 'like' && !(typeof value === 'string' && isLike(value, rule.pattern))) return undefined
    if (rule.is === 'amount') {
      const given = amountMicros(value)
      if (given === undefined || given > micros(rule.perCall)) return undefined
      if (args[currencyArgument] !== rule.currency) return undefined
      amount = given
    }
  }
  return { micros: amount }
}

/** A pattern in which `*` is any text, also none. Other characters are themselves. */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Millionths of a decimal number with at most six places, from 0 on. Undefined for everything else. */
export function amountMicros(value: JsonValue | undefined): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? micros(text) : undefined
}
