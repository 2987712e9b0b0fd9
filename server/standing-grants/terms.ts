import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { limits } from '#lib/limits.ts'
import { decimal, micros } from '#lib/rules/cost.ts'
import { type ArgumentRule, amountMicros, currencyArgument, matchOf } from '#lib/rules/standing-grants/match.ts'
import type { GrantTerms } from '#lib/schemas/approvals/grants.ts'
import { Json } from '#lib/schemas/common.ts'

/** The rules of a grant, as its payload has them. */
const Rules = z.array(
  z.discriminatedUnion('is', [
    z.object({ argument: z.string(), is: z.literal('equal'), value: Json }),
    z.object({ argument: z.string(), is: z.literal('like'), pattern: z.string() }),
    z.object({ argument: z.string(), is: z.literal('any') }),
    z.object({ argument: z.string(), is: z.literal('amount'), currency: z.string(), perCall: z.string() }),
  ]),
)
export const rulesIn = (payload: JsonObject): ArgumentRule[] | undefined => {
  const { arguments: bound } = payload
  const parsed = z.object({ rules: Rules }).safeParse(bound)
  return parsed.success ? parsed.data.rules : undefined
}

/** The amount of a call and the argument that has it, by the names that the approval page knows. */
export function amountOf(args: JsonObject): { argument: string; value: string; currency: string } | undefined {
  const currency = args[currencyArgument]
  const value = amountMicros(args.amount)
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || value === undefined) return undefined
  return { argument: 'amount', value: decimal(value), currency }
}

/**
 * The rules for each argument of the call that the grant is proposed from. Throws `bad_request` for terms that do not fit
 * the call, or that it does not meet itself. `masked`: arguments whose values the proposer does not see.
 */
export function rulesOf(
  { like, any, ceiling }: GrantTerms,
  args: JsonObject,
  masked: ReadonlySet<string>,
): ArgumentRule[] {
  const named = [...like.map(({ argument }) => argument), ...any, ...(ceiling === undefined ? [] : [ceiling.argument])]
  const twice = named.find((name, index) => named.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`The argument ${twice} has two rules.`)
  const unknown = named.find((name) => !Object.hasOwn(args, name))
  if (unknown !== undefined) throw invalid(`The request does not have an argument ${unknown}.`)
  const amount = amountOf(args)
  if (amount !== undefined && ceiling?.argument !== amount.argument)
    throw invalid(`The request has an amount, so the grant needs a ceiling for ${amount.argument}.`)
  if (any.includes(currencyArgument) || like.some(({ argument }) => argument === currencyArgument))
    throw invalid('The currency must equal that of the request.')
  const rules = Object.entries(args).map(([argument, value]): ArgumentRule => {
    if (ceiling?.argument === argument) return ceilingRule(ceiling, args)
    if (any.includes(argument)) return { argument, is: 'any' }
    const pattern = like.find((one) => one.argument === argument)?.pattern
    if (pattern === undefined) return { argument, is: 'equal', value }
    if (/^\**$/.test(pattern)) throw invalid(`The pattern for ${argument} needs a character other than *.`)
    // A pattern that fits or not would tell what the value is.
    if (masked.has(argument)) throw invalid(`The value of ${argument} is masked. It can only be equal, or any.`)
    if (typeof value !== 'string') throw invalid(`The argument ${argument} is not a text, so no pattern fits it.`)
    return { argument, is: 'like', pattern }
  })
  if (matchOf(rules, args) === undefined) throw invalid('The request itself does not meet these terms.')
  return rules
}

function ceilingRule({ argument, perCall, total }: NonNullable<GrantTerms['ceiling']>, args: JsonObject): ArgumentRule {
  const currency = args[currencyArgument]
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    throw invalid(`A ceiling needs a currency in the argument ${currencyArgument} of the request.`)
  if (amountMicros(args[argument]) === undefined) throw invalid(`The argument ${argument} is not an amount.`)
  if (micros(perCall) === 0n || micros(total) < micros(perCall))
    throw invalid('The ceiling in total must be at least that of one call, which must be more than zero.')
  return { argument, is: 'amount', currency, perCall }
}

/** Throws `bad_request` for an end that is over or too far away. */
export function requireUntil({ until }: GrantTerms, now: Date): Date {
  const at = new Date(until)
  if (at.getTime() <= now.getTime()) throw invalid('The grant must end in the future.')
  if (at.getTime() > now.getTime() + limits.grantDays * 86_400_000)
    throw invalid(`A grant lasts for at most ${limits.grantDays} days.`)
  return at
}

const invalid = (message: string): ApiError => new ApiError('bad_request', message)
