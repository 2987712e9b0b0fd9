import { ApiError } from '#lib/errors.ts'
import { wireLimits } from './limits.ts'

export type JsonBudget = { values: number; depth: number }

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Counts the values and levels of a JSON text without creating any of them. Throws 413 for more values than the budget, and
 * 400 for more levels. The text need not be valid: whatever JSON.parse accepts afterwards is within the budget. Returns
 * the number of values, to which member names count.
 */
export function scanJson(bytes: Uint8Array, budget: JsonBudget = wireLimits.json): number {
  let level = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at)
        continue
      case openList:
      case openObject:
        level += 1
        if (level > budget.depth) throw tooDeep(budget.depth)
        break
      case closeList:
      case closeObject:
        level -= 1
        continue
      case comma:
      case colon:
        break
      default:
        continue
    }
    // A list or object has one more value than it has commas; a colon follows each name.
    values += 1
    if (values > budget.values) throw tooMany(budget.values)
  }
  return values
}

/** The position of the quote that ends the string, or of the end of the text. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

export const tooDeep = (depth: number) =>
  new ApiError('bad_request', `The input contains more than ${depth} levels of nesting.`)

const tooMany = (values: number) =>
  new ApiError('payload_too_large', `The body contains more than ${values.toLocaleString('en')} values.`)
