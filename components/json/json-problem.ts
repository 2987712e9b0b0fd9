import type { CodeProblem } from '#components/code/code-problem.ts'
import * as t from '#components/texts/json/en.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'

/** Parses JSON, or returns the problem with its line and column (from 1). Messages of browsers differ and may omit the position. */
export function parseJson(text: string): { value: JsonValue } | { problem: CodeProblem } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { problem: problemIn(text) }
  }
}

/** Parses JSON that must be an object. */
export function parseJsonObject(text: string): { value: JsonObject } | { problem: CodeProblem } {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: { message: t.notObject({ example: '{ "name": value }' }), line: 1, column: 1 } }
  return { value }
}

// Written by hand: jsonc-parser adds 3.5 KB to the page (gzip) instead of 1.1, lacks messages, and reports another problem for `01` and
// for a trailing comma.
class Stop extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these characters inside strings.
const TOKEN = /[{}[\],:]|"(?:[^"\\\n\u0000-\u001f]|\\.)*"|-?\d[\d.eE+-]*|[A-Za-z_$][\w$]*|\S/y
const SPACE = /[ \t\r\n]*/y
const SCALAR =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")$/

function problemIn(text: string): CodeProblem {
  try {
    const reader = readerOf(text)
    readValue(reader)
    if (reader.peek() !== '') reader.stop(t.afterValue)
  } catch (error) {
    if (error instanceof Stop) return { message: error.message, ...placeOf(text, error.offset) }
    // JSON.parse accepts deeper nesting than the stack of this recursive reader allows.
    if (!(error instanceof RangeError)) throw error
  }
  return { message: t.invalid }
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

type Reader = { peek: () => string; take: () => string; stop: (message: string) => never }

function readerOf(text: string): Reader {
  let offset = 0
  const token = (): string => {
    SPACE.lastIndex = offset
    offset += SPACE.exec(text)?.[0].length ?? 0
    TOKEN.lastIndex = offset
    return TOKEN.exec(text)?.[0] ?? ''
  }
  return {
    peek: token,
    take() {
      const taken = token()
      offset += taken.length
      return taken
    },
    stop(message) {
      token()
      throw new Stop(message, offset)
    },
  }
}

/** Texts that can't begin a value, each with its message. */
const NO_VALUE = new Map([
  ['', t.valueMissing],
  ["'", t.singleQuotes],
  ['"', t.notClosed],
])

function readValue(reader: Reader): void {
  const token = reader.peek()
  if (token === '{') readList(reader, '}', 'brace', readMember)
  else if (token === '[') readList(reader, ']', 'bracket', readValue)
  else if (SCALAR.test(token)) reader.take()
  else reader.stop(NO_VALUE.get(token) ?? whyNoScalar(token))
}

const whyNoScalar = (token: string): string => (token.startsWith('"') ? t.unknownEscape : t.notValue({ token }))

function readList(reader: Reader, close: string, name: string, readItem: (reader: Reader) => void): void {
  reader.take()
  if (reader.peek() === close) {
    reader.take()
    return
  }
  for (;;) {
    if (reader.peek() === close) reader.stop(t.trailingComma({ close: name }))
    readItem(reader)
    const next = reader.peek()
    if (next !== ',' && next !== close) reader.stop(t.separatorMissing({ close: name }))
    reader.take()
    if (next === close) return
  }
}

function readMember(reader: Reader): void {
  const name = reader.peek()
  if (!name.startsWith('"') || !SCALAR.test(name)) reader.stop(t.nameExpected)
  reader.take()
  if (reader.peek() !== ':') reader.stop(t.colonMissing)
  reader.take()
  readValue(reader)
}
