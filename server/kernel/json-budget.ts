import { ApiError } from '#lib/errors.ts'
import { isKeptByDouble } from '#lib/text/json-number.ts'
import { wireLimits } from './limits.ts'

export type JsonBudget = { values: number; depth: number }

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const capitalE = 0x45
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const smallE = 0x65
const openObject = 0x7b
const closeObject = 0x7d

/** An open object with the names of its members so far, or an open list with the number of its commas. */
type Open = { names: string[]; many: Set<string> | undefined } | number

/** From here on names are looked up in a set. */
const manyNames = 12

/**
 * Counts the values and levels of a JSON text without creating any of them. Throws 413 for more values than the budget, and
 * 400 for more levels. The text need not be valid: whatever JSON.parse accepts afterwards is within the budget. Returns
 * the number of values, to which member names count.
 *
 * Also throws 400, with the path, for what another reader of the text could take for something else (RFC 7493): two members of
 * one name, a member named __proto__, which many programs drop, and a number that is not kept.
 */
export function scanJson(bytes: Uint8Array, budget: JsonBudget = wireLimits.json): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const open: Open[] = []
  let values = 1
  // The last string: a name if a colon follows.
  let [start, end] = [0, 0]
  for (let at = 0; at < buffer.length; at++) {
    const byte = buffer[at] ?? 0
    switch (byte) {
      case quote:
        start = at + 1
        end = endOfString(buffer, at)
        at = end
        continue
      case openList:
      case openObject:
        if (open.length === budget.depth) throw tooDeep(budget.depth)
        open.push(byte === openList ? 0 : { names: [], many: undefined })
        break
      case closeList:
      case closeObject:
        open.pop()
        continue
      case comma: {
        const list = open.at(-1)
        if (typeof list === 'number') open[open.length - 1] = list + 1
        break
      }
      case colon: {
        const object = open.at(-1)
        if (typeof object === 'object') enter(open, object, nameIn(buffer, start, end))
        break
      }
      default: {
        if (byte !== minus && (byte < zero || byte > nine)) continue
        const first = at
        while (isOfNumber(buffer[at + 1])) at += 1
        if (at - first > 1 && !isKeptByDouble(buffer.toString('latin1', first, at + 1)))
          throw flawAt(placeOf(open), 'a number with more digits than are kept (send it as a string)')
        continue
      }
    }
    // A list or object has one more value than it has commas; a colon follows each name.
    values += 1
    if (values > budget.values) throw tooMany(budget.values)
  }
  return values
}

const isOfNumber = (byte = 0): boolean =>
  (byte >= zero && byte <= nine) ||
  byte === dot ||
  byte === smallE ||
  byte === capitalE ||
  byte === plus ||
  byte === minus

/** Names are compared as bytes, one character each. */
function nameIn(buffer: Buffer, start: number, end: number): string {
  const name = buffer.toString('latin1', start, end)
  if (!name.includes('\\')) return name
  try {
    const unescaped: unknown = JSON.parse(`"${buffer.toString('utf8', start, end)}"`)
    return Buffer.from(String(unescaped)).toString('latin1')
  } catch {
    // The parser refuses it.
    return name
  }
}

function enter(open: readonly Open[], object: Exclude<Open, number>, name: string): void {
  const { names } = object
  const isKnown = object.many === undefined ? names.includes(name) : object.many.has(name)
  names.push(name)
  if (isKnown) throw flawAt(placeOf(open), 'two members with this name')
  if (name === '__proto__') throw flawAt(placeOf(open), protoFlaw)
  object.many?.add(name)
  if (names.length === manyNames) object.many = new Set(names)
}

/** Many programs drop it or take it for something else. */
export const protoFlaw = 'a member with this name, which many programs drop'

/** Where the scan is: the member that was named last, or the element. */
const placeOf = (open: readonly Open[]): string =>
  open
    .map((each) =>
      typeof each === 'number' ? String(each) : Buffer.from(each.names.at(-1) ?? '', 'latin1').toString(),
    )
    .join('.')

/** The position of the quote that ends the string, or of the end of the text. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** `bad_request` for an input that has `what` at the path. */
export function flawAt(path: string, what: string): ApiError {
  const message = `Contains ${what}.`
  return new ApiError('bad_request', path === '' ? `The input contains ${what}.` : `${path}: ${message}`, {
    issues: [{ path, message }],
  })
}

export const tooDeep = (depth: number) =>
  new ApiError('bad_request', `The input contains more than ${depth} levels of nesting.`)

const tooMany = (values: number) =>
  new ApiError('payload_too_large', `The body contains more than ${values.toLocaleString('en')} values.`)
