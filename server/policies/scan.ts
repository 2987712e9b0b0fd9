/**
 * The look at a policy's text before Cedar sees it. cedar-wasm 4.13 recurses without a guard: about 130 nested brackets,
 * or some thousand chained operators, break the instance for every tenant until it is replaced.
 */
export const limits = {
  bytes: 64 * 1024,
  /** Brackets and `if`s within each other. */
  nesting: 40,
  /** Operators and dots in one rule: each links one more level into the tree that Cedar walks. */
  operators: 1000,
} as const

/** One rule: its text from the first token to its semicolon, and where that begins (UTF-16 index). */
export type RuleText = { text: string; start: number }

// As in Cedar's lexer: a comment ends at either line break; a string has backslash escapes and may hold line breaks.
const token = /\/\/[^\n\r]*|"(?:\\[\s\S]|[^"\\])*"?|\s+|\w+|&&|\|\||[=!<>]=|[\s\S]/g
const operator = /^(?:&&|\|\||[=!<>]=|[-+*<>!.=&|])$/

/** The tokens of `source` without blanks and comments: only those and strings can hide a bracket or a semicolon. */
function* tokensOf(source: string): Generator<{ text: string; index: number }> {
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
  /** For each open bracket, how many `if`s have been opened inside it: an `if` nests all that follows up to a comma. */
  let open = [0]
  let depth = 0
  let operators = 0
  for (const { text, index } of tokensOf(source)) {
    if ('([{'.includes(text)) {
      open.push(0)
      depth += 1
    } else if (')]}'.includes(text)) {
      depth -= (open.pop() ?? 0) + 1
    } else if (text === 'if') {
      open.push((open.pop() ?? 0) + 1)
      depth += 1
    } else if (text === ',') {
      depth -= open.pop() ?? 0
      open.push(0)
    } else if (operator.test(text)) {
      operators += 1
    } else if (text === ';') {
      operators = 0
    }
    if (text === ';' || open.length === 0) {
      open = [0]
      depth = 0
    }
    if (depth > limits.nesting) return { message: `Expressions are nested at most ${limits.nesting} deep.`, index }
    if (operators > limits.operators)
      return { message: `A rule holds at most ${limits.operators} operators and dots.`, index }
  }
  return undefined
}
