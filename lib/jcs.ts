import canonicalize from 'canonicalize'
import type { JsonValue } from '#lib/json.ts'

/** Nesting beyond this is refused; it also ends the walk of a value that contains itself. */
const maxDepth = 1000

/** From here on ECMAScript writes a number with an exponent, so it no longer looks like an exact integer. */
const exponentFrom = 1e21

/** A value that can't be canonicalised exactly. `pointer` (RFC 6901) is its position; the message omits the value itself. */
export class JcsError extends Error {
  override readonly name = 'JcsError'
  readonly pointer: string

  constructor(pointer: string, reason: string) {
    super(`Can’t be written as canonical JSON: ${pointer === '' ? 'the value' : pointer} ${reason}.`)
    this.pointer = pointer
  }
}

/**
 * Canonical JSON (RFC 8785), to be hashed or signed as UTF-8.
 * Throws JcsError for whatever would be lost or rounded silently: lone surrogates, NaN and infinities, undefined,
 * functions, symbols, bigints, objects that are not plain (dates, maps), integers written in digits beyond ±(2^53 − 1)
 * (they may have been rounded by JSON.parse already: write them as strings), and nesting deeper than 1,000 levels.
 */
export function canonicalJson(value: JsonValue): string {
  requireCanonical(value)
  const text = canonicalize(value)
  if (text === undefined) throw new JcsError('', 'is not a JSON value')
  return text
}

/** Throws as `canonicalJson` does, for a value that is written later. */
export function requireCanonical(value: JsonValue): void {
  const flaw = findFlaw(value, 0)
  if (flaw) throw new JcsError(flaw.path.map(pointerSegment).join(''), flaw.reason)
}

type Flaw = { path: (string | number)[]; reason: string }

// The path is assembled only when a flaw is returned, so that a valid value allocates no strings.
function findFlaw(value: unknown, depth: number): Flaw | undefined {
  if (typeof value !== 'object') return flawOf(whyNotPrimitive(value))
  if (value === null) return undefined
  if (depth === maxDepth) return flawOf('is nested too deeply, or contains itself')
  return Array.isArray(value) ? findFlawInArray(value, depth) : findFlawInObject(value, depth)
}

function findFlawInArray(array: unknown[], depth: number): Flaw | undefined {
  for (let index = 0; index < array.length; index++) {
    const flaw = findFlaw(array[index], depth + 1)
    if (flaw) return { ...flaw, path: [index, ...flaw.path] }
  }
}

function findFlawInObject(object: object, depth: number): Flaw | undefined {
  const prototype: unknown = Object.getPrototypeOf(object)
  // A plain object of another realm has a different Object.prototype, whose prototype is also null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return flawOf('is not a plain object')
  for (const [key, member] of Object.entries(object)) {
    if (!key.isWellFormed()) return flawOf('has a key with a lone surrogate')
    const flaw = findFlaw(member, depth + 1)
    if (flaw) return { ...flaw, path: [key, ...flaw.path] }
  }
}

function whyNotPrimitive(value: unknown): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined
    case 'string':
      return value.isWellFormed() ? undefined : 'has a lone surrogate'
    case 'number':
      return whyNotNumber(value)
    default:
      return `is of type ${typeof value}`
  }
}

function whyNotNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'is not a finite number'
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < exponentFrom) {
    return 'is an integer that a JSON number can’t represent exactly; write it as a string'
  }
}

const flawOf = (reason: string | undefined): Flaw | undefined =>
  reason === undefined ? undefined : { path: [], reason }

const pointerSegment = (key: string | number): string => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
