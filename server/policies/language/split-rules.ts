/**
 * The look at a policy's text before Cedar sees it. cedar-wasm 4.13 recurses without a guard: a text that is deep enough
 * breaks the instance for every tenant until it is replaced. Measured in the decision worker: about 130 nested brackets, 250
 * chained members or 350 chained sums; in the check, some thousand terms of `&&` or `||`.
 */
export const limits = {
  bytes: 64 * 1024,
  /** Brackets and `if`s within each other. */
  nesting: 40,
  /** Members, indexes, sums and products that build on each other: `a.b.c`, `1 + 2 + 3`. */
  chain: 100,
  /** `&&` and `||` in one rule. */
  conditions: 1000,
} as const

/** One rule: its text from the first token to its semicolon, and where that begins (UTF-16 index). */
export type RuleText = { text: string; start: number }

// As in Cedar's lexer: a comment ends at either line break; a string has backslash escapes and may hold line breaks.
const token = /\/\/[^\n\r]*|"(?:\\[\s\S]|[^"\\])*"?|\s+|\w+|&&|\|\||[=!<>]=|[\s\S]/g

/** What begins a new operand, whose chain does not build on the one before. */
const separators = new Set(['&&', '||', ',', 'then', 'else'])
const links = new Set(['.', '+', '-', '*', '['])

/** One level of brackets: the `if`s opened in it, the links of its present operand, the most that any operand had. */
type Level = { ifs: number; chain: number; longest: number }
const newLevel = (): Level => ({ ifs: 0, chain: 0, longest: 0 })

/** The tokens of `source` without blanks and comments: only those and strings can hide a bracket or a semicolon. */
export function* tokensOf(source: string): Generator<{ text: string; index: number }> {
  for (const { 0: text, index } of source.matchAll(token))
    if (!text.startsWith('//') && text.trim() !== '') yield { text, index }
}

/** The rules of a policy. What follows the last semicolon is a rule without an end, which Cedar's parser will say. */
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

/** The first limit that `source` exceeds, with the UTF-16 index where it does; undefined when Cedar may see it. */
export function findExcess(source: string): { message: string; index: number } | undefined {
  if (Buffer.byteLength(source) > limits.bytes)
    return { message: `A policy holds at most ${limits.bytes / 1024} KiB.`, index: 0 }
  if (!source.isWellFormed() || source.includes('\0'))
    return { message: 'A policy is well-formed Unicode text without NUL.', index: 0 }
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
      // What follows the bracket builds on what is in it.
      const outer = levels.at(-1)
      if (outer !== undefined) outer.chain += Math.max(level.longest, level.chain)
    } else if (text === 'if') {
      level.ifs += 1
      nesting += 1
    } else if (text === ',') {
      // An `if` nests all that follows, up to the next member of a set, a record or a call.
      nesting -= level.ifs
      level.ifs = 0
    }
    if (nesting > limits.nesting) return { message: `Expressions are nested at most ${limits.nesting} deep.`, index }
    if ((levels.at(-1)?.chain ?? 0) > limits.chain)
      return { message: `At most ${limits.chain} members or sums build on each other.`, index }
    if (conditions > limits.conditions)
      return { message: `A rule holds at most ${limits.conditions} && and || operators.`, index }
  }
  return undefined
}
