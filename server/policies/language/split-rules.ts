/**
 * Limits checked before a policy's source reaches Cedar. cedar-wasm 4.13 recurses without a guard: a source that is nested
 * deeply enough breaks the instance for every tenant until it is replaced. Measured in the decision worker: about 130 nested
 * brackets, 250 chained members or 350 chained sums; in the check, several thousand terms of `&&` or `||`.
 */
export const limits = {
  bytes: 64 * 1024,
  /** Levels of nested brackets and `if`s. */
  nesting: 40,
  /** Chained members, indexes, sums and products: `a.b.c`, `1 + 2 + 3`. */
  chain: 100,
  /** `&&` and `||` operators in one rule. */
  conditions: 1000,
} as const

/** One rule: its text from the first token to its semicolon, and the UTF-16 index where it starts. */
export type RuleText = { text: string; start: number }

// As in Cedar's lexer: a comment ends at CR or LF; a string has backslash escapes and may contain line breaks.
const token = /\/\/[^\n\r]*|"(?:\\[\s\S]|[^"\\])*"?|\s+|\w+|&&|\|\||[=!<>]=|[\s\S]/g

/** Tokens that start a new operand, and with it a new chain. */
const separators = new Set(['&&', '||', ',', 'then', 'else'])
const links = new Set(['.', '+', '-', '*', '['])

/** One level of brackets: the `if`s opened in it, the chain length of the current operand, and the longest of any operand. */
type Level = { ifs: number; chain: number; longest: number }
const newLevel = (): Level => ({ ifs: 0, chain: 0, longest: 0 })

/** The tokens of `source` without whitespace and comments. A bracket or semicolon in a string is part of its token. */
export function* tokensOf(source: string): Generator<{ text: string; index: number }> {
  for (const { 0: text, index } of source.matchAll(token))
    if (!text.startsWith('//') && text.trim() !== '') yield { text, index }
}

/** The rules of a policy. Text after the last semicolon is a rule without an end, which Cedar's parser reports. */
export function splitRules(source: string): RuleText[] {
  const rules: RuleText[] = []
  let start: number | undefined
  for (const { text, index } of tokensOf(source)) {
    start ??= index
    if (text !== ';') continue
    rules.push({ text: source.slice(start, index + 1), start })
    start = undefined
  }
  if (start !== undefined) rules.push({ text: source.slice(start), start })
  return rules
}

/** The first limit that `source` exceeds, with the UTF-16 index where it does; undefined when it may be passed to Cedar. */
export function findExcess(source: string): { message: string; index: number } | undefined {
  if (Buffer.byteLength(source) > limits.bytes)
    return { message: `A policy can be up to ${limits.bytes / 1024} KiB.`, index: 0 }
  if (!source.isWellFormed() || source.includes('\0'))
    return { message: 'A policy must be well-formed Unicode without NUL characters.', index: 0 }
  let levels = [newLevel()]
  let nesting = 0
  let conditions = 0
  for (const { text, index } of tokensOf(source)) {
    const level = levels.at(-1)
    if (text === ';' || level === undefined) {
      levels = [newLevel()]
      nesting = 0
      conditions = 0
      continue
    }
    if (links.has(text)) level.chain += 1
    if (text === '&&' || text === '||') conditions += 1
    if (separators.has(text)) {
      level.longest = Math.max(level.longest, level.chain)
      level.chain = 0
    }
    if ('([{'.includes(text)) {
      levels.push(newLevel())
      nesting += 1
    } else if (')]}'.includes(text)) {
      levels.pop()
      nesting -= level.ifs + 1
      // The chain continues after the bracket.
      const outer = levels.at(-1)
      if (outer !== undefined) outer.chain += Math.max(level.longest, level.chain)
    } else if (text === 'if') {
      level.ifs += 1
      nesting += 1
    } else if (text === ',') {
      // An `if` nests everything after it, up to the next member of a set, record or call.
      nesting -= level.ifs
      level.ifs = 0
    }
    if (nesting > limits.nesting)
      return { message: `Expressions can be nested up to ${limits.nesting} levels deep.`, index }
    if ((levels.at(-1)?.chain ?? 0) > limits.chain)
      return { message: `At most ${limits.chain} members or operators in one chain.`, index }
    if (conditions > limits.conditions)
      return { message: `A rule can have up to ${limits.conditions} && and || operators.`, index }
  }
  return undefined
}
