import { isAscii } from 'node:buffer'
import type { JsonValue } from '#lib/json.ts'
import { endOfString } from '#server/kernel/json-budget.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { tooManyFields, wrong } from './otlp.ts'

/** The text is not JSON. */
export class JsonTextError extends Error {}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Reads JSON in place, so that the outer lists and objects of a large text never exist: the caller walks through them and
 * takes out the values inside, each of which is counted before it is parsed.
 */
export class JsonReader {
  /** The read position, moved by each read. */
  at = 0
  readonly #bytes: Buffer
  /** Decodes plain text at half the cost. */
  readonly #encoding: 'latin1' | 'utf8'

  /** `bytes` are UTF-8. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#encoding = isAscii(bytes) ? 'latin1' : 'utf8'
  }

  /** Enters an object. False for null, which is allowed instead of one. Throws OtlpError, with its name, for another value. */
  object(name: string): boolean {
    return this.#enter(openObject, `${name} must be an object`)
  }

  /** Enters a list, like `object`. */
  list(name: string): boolean {
    return this.#enter(openList, `${name} must be a list`)
  }

  /** The name of the next member, or undefined at the end of the object. `first`: no member has been read. */
  member(first: boolean): string | undefined {
    if (!this.#next(first, closeObject)) return undefined
    if (this.#bytes[this.at] !== quote) throw new JsonTextError('a member without a name')
    const name: unknown = this.#parse(this.#stringEnd())
    this.#expect(colon)
    return String(name)
  }

  /** Whether the list has another element. `first`: none has been read. */
  element(first: boolean): boolean {
    return this.#next(first, closeList)
  }

  /** The next value, whatever it is. */
  value(): JsonValue {
    this.#skipSpace()
    return this.#parse(this.#valueEnd())
  }

  /** Throws unless the whole text has been read. */
  end(): void {
    this.#skipSpace()
    if (this.at < this.#bytes.length) throw new JsonTextError('more after the end')
  }

  #enter(opening: number, expected: string): boolean {
    this.#skipSpace()
    if (this.#bytes[this.at] === opening) {
      this.at += 1
      return true
    }
    if (this.value() !== null) throw wrong(expected)
    return false
  }

  #next(first: boolean, closing: number): boolean {
    this.#skipSpace()
    if (this.#bytes[this.at] === closing) {
      this.at += 1
      return false
    }
    if (!first) this.#expect(comma)
    this.#skipSpace()
    return true
  }

  #expect(byte: number): void {
    this.#skipSpace()
    if (this.#bytes[this.at] !== byte) throw new JsonTextError('not JSON')
    this.at += 1
  }

  #skipSpace(): void {
    for (let byte = this.#bytes[this.at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; )
      byte = this.#bytes[++this.at]
  }

  #parse(end: number): JsonValue {
    const text = this.#bytes.toString(this.#encoding, this.at, end)
    this.at = end
    try {
      return JSON.parse(text)
    } catch {
      // Without its cause: the parser's message quotes the body, which must not get into the log.
      throw new JsonTextError('not JSON')
    }
  }

  #stringEnd(): number {
    return endOfString(this.#bytes, this.at) + 1
  }

  /** Counts the value's own values and levels on the way. */
  #valueEnd(): number {
    const bytes = this.#bytes
    let level = 0
    let fields = 0
    for (let at = this.at; at < bytes.length; at++) {
      switch (bytes[at]) {
        case quote:
          at = endOfString(bytes, at)
          if (level === 0) return at + 1
          continue
        case openList:
        case openObject:
          level += 1
          if (level > mostLevels) throw wrong(`a value is nested more than ${mostLevels} levels deep`)
          break
        case closeList:
        case closeObject:
          if (level === 0) return at
          level -= 1
          if (level === 0) return at + 1
          continue
        case comma:
          if (level === 0) return at
          break
        default:
          continue
      }
      fields += 1
      if (fields > wireLimits.telemetry.fieldsInOne) throw tooManyFields()
    }
    return bytes.length
  }
}

/** A level of an attribute is an object in a list in an object; the span has a few of its own. */
const mostLevels = 4 * wireLimits.telemetry.depth
