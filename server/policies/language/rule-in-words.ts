import type { EntityUidJson, Expr, ExprNoExt, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'

/** A part of a rule that can't be said in words without leaving something out. */
class Unsayable extends Error {
  override readonly name = 'Unsayable'
}

/**
 * When a rule applies, as one sentence: "It applies to calls of payments/issue_refund when the argument amount is greater than
 * 1000." The lift of a soft forbid is left out, because it says only that the approval lifts it. Undefined for a rule that
 * can't be said in words completely: a reader must not take half of a rule for the whole.
 */
export function ruleInWords(rule: PolicyJson): string | undefined {
  try {
    const conditions = rule.conditions
      .filter(({ body }) => !isLift(body))
      .map(({ kind, body }) => `${kind} ${condition(body)}`)
    return `It applies to ${[callsOf(rule), ...conditions].join(', ')}.`
  } catch (error) {
    if (error instanceof Unsayable) return undefined
    throw error
  }
}

type Member<Key extends string> = Extract<ExprNoExt, Record<Key, unknown>>
const has = <Key extends string>(expr: Expr, key: Key): expr is Member<Key> => Object.hasOwn(expr, key)

/** The operands of an operator that has two. */
const sidesOf = (expr: Expr, key: string) =>
  (expr as unknown as Record<string, { left: Expr; right: Expr } | undefined>)[key]
/** What a function of an extension is called with. */
const argumentsOf = (expr: Expr, key: string): Expr[] =>
  (expr as unknown as Record<string, Expr[] | undefined>)[key] ?? []

/** Only a lift may read `context.fulfilled` (lint.ts). */
const isLift = (body: Expr): boolean =>
  has(body, 'contains') && pathOf(body.contains.left)?.join('.') === 'context.fulfilled'

const idOf = (uid: EntityUidJson): string => ('__entity' in uid ? uid.__entity : uid).id

const groups: Readonly<Record<string, string>> = { ToolCall: 'tool calls', ModelCall: 'model calls' }

function callsOf({ principal, action, resource }: PolicyJson): string {
  const named = [...new Set([...toolsOf(action), ...namesOf(resource)])]
  const kinds = kindsOf(action)
  const what =
    named.length > 0
      ? `calls of ${list(named, 'or')}`
      : kinds.length > 0
        ? list(kinds, 'or')
        : resource.op === 'is'
          ? (kindByType[resource.entity_type] ?? unsayable())
          : 'all calls'
  return [what, withinOf(resource), byWhom(principal)].filter((part) => part !== '').join(' ')
}

const kindByType: Readonly<Record<string, string>> = {
  'Countersign::Tool': 'tool calls',
  'Countersign::Model': 'model calls',
}

const actionIds = (action: PolicyJson['action']): string[] =>
  'entities' in action ? action.entities.map(idOf) : 'entity' in action ? [idOf(action.entity)] : []
const toolsOf = (action: PolicyJson['action']) => actionIds(action).filter((id) => groups[id] === undefined)
const kindsOf = (action: PolicyJson['action']) => actionIds(action).flatMap((id) => groups[id] ?? [])

const namesOf = (resource: PolicyJson['resource']): string[] =>
  resource.op === '==' && 'entity' in resource ? [idOf(resource.entity)] : []

function withinOf(resource: PolicyJson['resource']): string {
  if (resource.op === 'in') return 'entity' in resource ? `on ${idOf(resource.entity)}` : unsayable()
  if (resource.op !== 'is' || resource.in === undefined) return ''
  return 'entity' in resource.in ? `on ${idOf(resource.in.entity)}` : unsayable()
}

function byWhom(principal: PolicyJson['principal']): string {
  switch (principal.op) {
    case 'All':
      return ''
    case 'is':
      return principal.in === undefined ? '' : unsayable()
    default:
      return 'entity' in principal ? `by ${idOf(principal.entity)}` : unsayable()
  }
}

const comparisons: Words = {
  '==': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is greater than',
  '>=': 'is at least',
  in: 'is in',
  contains: 'contains',
  containsAll: 'contains all of',
  containsAny: 'contains any of',
}

/** Functions on decimals, times and addresses: the same words as for numbers. */
const functions: Words = {
  lessThan: 'is less than',
  lessThanOrEqual: 'is at most',
  greaterThan: 'is greater than',
  greaterThanOrEqual: 'is at least',
  isInRange: 'is in the range',
}

function condition(expr: Expr): string {
  if (has(expr, '&&')) return list(withoutGuards(parts(expr, '&&')).map(inside('||')), 'and')
  if (has(expr, '||')) return list(parts(expr, '||').map(inside('&&')), 'or')
  if (has(expr, '!')) return negation(expr['!'].arg)
  if (has(expr, 'has')) return `${memberOf(expr)} is given`
  if (has(expr, 'like')) return `${term(expr.like.left)} matches “${patternOf(expr.like.pattern)}”`
  if (has(expr, 'is')) return unsayable()
  if (has(expr, 'isEmpty')) return `${term(expr.isEmpty.arg)} is empty`
  if (has(expr, 'contains') && has(expr.contains.left, 'Set'))
    return `${term(expr.contains.right)} is ${term(expr.contains.left)}`
  const compared = comparison(expr, comparisons, functions)
  if (compared !== undefined) return compared
  if (pathOf(expr) !== undefined) return `${term(expr)} is true`
  return unsayable()
}

type Words = Readonly<Record<string, string>>

/** Two terms and the words of the operator or function between them. Undefined for what is neither of these. */
function comparison(expr: Expr, ofOperators: Words, ofFunctions: Words): string | undefined {
  for (const [key, words] of Object.entries(ofOperators)) {
    const sides = sidesOf(expr, key)
    if (sides !== undefined) return `${single(sides.left)} ${words} ${operand(key, sides.right)}`
  }
  for (const [key, words] of Object.entries(ofFunctions)) {
    const [left, right] = argumentsOf(expr, key)
    if (left !== undefined && right !== undefined) return `${single(left)} ${words} ${single(right)}`
  }
}

/** The right side of a comparison. A list equals another list as a whole, which "or" and "and" would not say. */
function operand(key: string, expr: Expr): string {
  if (!has(expr, 'Set')) return term(expr)
  if (key === '==' || key === '!=' || key === 'contains') return unsayable()
  return key === 'containsAll' && expr.Set.length > 0 ? list(expr.Set.map(single), 'and') : term(expr)
}

/** Other comparisons are negated as a whole. */
const negatedComparisons: Words = {
  '==': 'is not',
  '!=': 'is',
  '<': 'is at least',
  '<=': 'is greater than',
  '>': 'is at most',
  '>=': 'is less than',
}
const negatedFunctions: Words = {
  lessThan: 'is at least',
  lessThanOrEqual: 'is greater than',
  greaterThan: 'is at most',
  greaterThanOrEqual: 'is less than',
}

const single = (expr: Expr): string => (has(expr, 'Set') ? unsayable() : term(expr))

function negation(expr: Expr): string {
  if (has(expr, 'has')) return `${memberOf(expr)} is not given`
  if (has(expr, 'like')) return `${term(expr.like.left)} does not match “${patternOf(expr.like.pattern)}”`
  const compared = comparison(expr, negatedComparisons, negatedFunctions)
  if (compared !== undefined) return compared
  if (pathOf(expr) !== undefined) return `${term(expr)} is not true`
  return `it is not true that (${condition(expr)})`
}

/** Parentheses keep "a and (b or c)" apart from "(a and b) or c". */
const inside =
  (other: '&&' | '||') =>
  (expr: Expr): string =>
    has(expr, other) ? `(${condition(expr)})` : condition(expr)

function parts(expr: Expr, key: '&&' | '||'): Expr[] {
  const sides = sidesOf(expr, key)
  return sides === undefined ? [expr] : [...parts(sides.left, key), ...parts(sides.right, key)]
}

/**
 * `context.arguments has amount` before a comparison of it: a rule about a member needs that, and it adds nothing. It stays where the rule
 * could be taken to cover a call without the member: before "is not", and before alternatives.
 */
function withoutGuards(conditions: Expr[]): Expr[] {
  const reads = (expr: unknown, path: string): boolean => {
    if (typeof expr !== 'object' || expr === null) return false
    if (pathOf(expr as Expr)?.join('.') === path) return true
    return Object.values(expr).some((inner) => reads(inner, path))
  }
  return conditions.filter((guard) => {
    if (!has(guard, 'has')) return true
    const { left, attr } = guard.has
    const path = [...(pathOf(left) ?? []), ...(Array.isArray(attr) ? attr : [attr])].join('.')
    const saysIt = (other: Expr) => !['!', '!=', '||'].some((key) => has(other, key)) && reads(other, path)
    return !conditions.some((other) => other !== guard && saysIt(other))
  })
}

function memberOf({ has: { left, attr } }: Member<'has'>): string {
  const path = pathOf(left)
  return path === undefined ? unsayable() : nameOf([...path, ...(Array.isArray(attr) ? attr : [attr])])
}

function term(expr: Expr): string {
  const path = pathOf(expr)
  if (path !== undefined) return nameOf(path)
  if (has(expr, 'Value')) return literal(expr.Value)
  if (has(expr, 'Set')) return expr.Set.length === 0 ? 'nothing' : list(expr.Set.map(single), 'or')
  for (const key of ['decimal', 'datetime', 'duration', 'ip']) {
    const [value] = argumentsOf(expr, key)
    if (value !== undefined && has(value, 'Value') && typeof value.Value === 'string') return value.Value
  }
  for (const key of ['+', '-', '*']) {
    const sides = sidesOf(expr, key)
    if (sides !== undefined) return `(${term(sides.left)} ${key} ${term(sides.right)})`
  }
  return unsayable()
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `“${value}”`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'object' && value !== null && '__entity' in value) return idOf(value as EntityUidJson)
  return unsayable()
}

/** ["context", "arguments", "amount"]; undefined for what is not a path. */
function pathOf(expr: Expr): string[] | undefined {
  if (has(expr, 'Var')) return [expr.Var]
  if (!has(expr, '.')) return undefined
  const left = pathOf(expr['.'].left)
  return left === undefined ? undefined : [...left, expr['.'].attr]
}

const known: Readonly<Record<string, string>> = {
  principal: 'the agent',
  resource: 'the tool or model',
  action: 'the action',
  'principal.riskTier': 'the agent’s risk',
  'principal.lifecycle': 'the agent’s state',
  'principal.version': 'the agent’s version',
  'principal.release': 'the agent’s release',
  'principal.allowedTools': 'the agent’s list of tools',
  'principal.allowedModels': 'the agent’s list of models',
  'resource.sideEffect': 'the tool’s side effect',
  'resource.idempotent': 'that the tool is idempotent',
  'resource.server': 'the tool’s server',
  'resource.name': 'the name of the tool or model',
  'resource.provider': 'the model’s provider',
  'context.env.name': 'the environment',
  'context.call.now': 'the time of the call',
  'context.call.counters.toolCalls': 'the number of earlier tool calls',
}

function nameOf(path: readonly string[]): string {
  const [, group, ...rest] = path
  if (path[0] === 'context' && group === 'arguments' && rest.length > 0) return `the argument ${rest.join('.')}`
  return known[path.join('.')] ?? unsayable()
}

const patternOf = (pattern: readonly ('Wildcard' | { Literal: string })[]): string =>
  pattern.map((part) => (part === 'Wildcard' ? '*' : part.Literal)).join('')

function list(items: readonly string[], word: 'and' | 'or'): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`
}

function unsayable(): never {
  throw new Unsayable()
}
