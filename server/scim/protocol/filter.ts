import { invalidFilter } from './errors.ts'

/** A filter of RFC 7644, section 3.4.2.2, without the sub-filters in brackets, which only paths of PATCH have. */
export type Filter =
  | { kind: 'and' | 'or'; left: Filter; right: Filter }
  | { kind: 'not'; of: Filter }
  | { kind: 'present'; attribute: string }
  | { kind: 'compare'; attribute: string; operator: Comparison; value: string | number | boolean | null }

export type Comparison = (typeof comparisons)[number]
const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le'] as const

/** Providers send filters of one or two comparisons. */
const most = { characters: 2_000, comparisons: 20, depth: 10 }

/** A text in quotation marks, a bracket, or anything else up to a space or a bracket. */
const token = /\s*(?:("(?:[^"\\]|\\.)*")|([()])|([^\s()"]+))/y

/** Parses a filter. Throws 400 `invalidFilter`. */
export function parseFilter(text: string): Filter {
  if (text.length > most.characters) throw invalidFilter(`A filter has at most ${most.characters} characters.`)
  const tokens = tokensOf(text)
  let next = 0
  let compared = 0
  const word = () => tokens[next]?.toLowerCase()
  const take = (what: string): string => {
    const taken = tokens[next]
    if (taken === undefined) throw invalidFilter(`The filter ends where ${what} must follow.`)
    next += 1
    return taken
  }
  const either = (depth: number): Filter => {
    let left = both(depth)
    while (word() === 'or') {
      next += 1
      left = { kind: 'or', left, right: both(depth) }
    }
    return left
  }
  const both = (depth: number): Filter => {
    let left = one(depth)
    while (word() === 'and') {
      next += 1
      left = { kind: 'and', left, right: one(depth) }
    }
    return left
  }
  const one = (depth: number): Filter => {
    if (depth > most.depth) throw invalidFilter(`A filter has at most ${most.depth} levels of brackets.`)
    if (word() === 'not' && tokens[next + 1] === '(') {
      next += 1
      return { kind: 'not', of: one(depth) }
    }
    if (word() !== '(') return comparison()
    next += 1
    const inner = either(depth + 1)
    if (take('a closing bracket') !== ')') throw invalidFilter('A bracket of the filter is not closed.')
    return inner
  }
  const comparison = (): Filter => {
    compared += 1
    if (compared > most.comparisons) throw invalidFilter(`A filter has at most ${most.comparisons} comparisons.`)
    const attribute = take('an attribute')
    if (!/^[A-Za-z$][\w$.:-]*$/.test(attribute))
      throw invalidFilter('The filter must name an attribute and an operator.')
    const operator = take('an operator').toLowerCase()
    if (operator === 'pr') return { kind: 'present', attribute }
    const known = comparisons.find((name) => name === operator)
    if (known === undefined) throw invalidFilter('The filter contains an unknown operator.')
    return { kind: 'compare', attribute, operator: known, value: literal(take('a value')) }
  }
  const filter = either(0)
  if (next < tokens.length) throw invalidFilter('The filter continues where it must end.')
  return filter
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  const end = text.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const found = token.exec(text)
    if (found === null) throw invalidFilter('A text of the filter is not closed.')
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '')
  }
  return tokens
}

function literal(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(/^(true|false|null)$/i.test(text) ? text.toLowerCase() : text)
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value
  } catch {
    // The refusal below covers it.
  }
  throw invalidFilter('A value of the filter must be a JSON text in quotation marks, a number, true, false or null.')
}
