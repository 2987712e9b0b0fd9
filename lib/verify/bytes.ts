// What every part of the verifier needs. These modules use features that browsers and Node share, and nothing else: they are
// joined unchanged into verify.html and verify.mjs of every archive.

import { incrementalSha256, sha256Now } from '../sha256.ts'
import { most } from './limits.ts'

export type Bytes = Uint8Array<ArrayBuffer>
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Something in the archive does not hold. The message says what, for a person who knows neither the code nor the format. */
export class Broken extends Error {}

const encoder = new TextEncoder()
export const encode = (text: string): Bytes => encoder.encode(text)

/** Throws TypeError for bytes that are not UTF-8. */
export const utf8 = (bytes: Bytes): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
export function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hexOf[byte]
  return text
}

/** Broken for a text that is not lower-case hex. */
export function fromHex(text: string): Bytes {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) throw new Broken('A hexadecimal value is malformed.')
  const bytes = new Uint8Array(text.length >> 1)
  for (let at = 0; at < bytes.length; at++) bytes[at] = (digitAt(text, 2 * at) << 4) | digitAt(text, 2 * at + 1)
  return bytes
}

/** 0 to 9 are 0x30 to 0x39, a to f are 0x61 to 0x66. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 0x40 ? code - 0x30 : code - 0x57
}

/** Broken for anything but base64 with padding (RFC 4648, section 4). */
export function fromBase64(text: string): Bytes {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Broken('A base64 value is malformed.')
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export function concat(...parts: Uint8Array[]): Bytes {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** A member of a JSON object; undefined for anything else. Members of the prototype are not members. */
export const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined

/** A text of the object. Broken when it is missing. */
export function textMember(value: Json | undefined, name: string, of: string): string {
  const found = member(value, name)
  if (typeof found !== 'string') throw new Broken(`${of} lacks ${name}.`)
  return found
}

/**
 * Broken for a text that is not JSON, naming `of`, and before it is parsed for one with more values or levels than the service
 * writes: each needs many times the memory of its text.
 */
export function parseJson(text: string, of: string, values: number = most.lineValues): Json {
  if (text.length > harmlessCharacters) {
    const found = structureOf(text)
    const excess =
      found.values > values ? `${values} values` : found.levels > most.levels ? `${most.levels} levels` : ''
    if (excess !== '') throw new Broken(`${of} has more than ${excess}, which the service never writes.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Broken(`${of} is not valid JSON.`)
  }
}

/**
 * A line of the archive. Broken also for one that says the same to this program, and to another one perhaps the opposite: with two
 * members of one name, with escapes or spaces that the service does not write, or with a number in another spelling.
 */
export function parseLine(line: string, of: string): Json {
  const value = parseJson(line, of)
  requireLineForm(line, value, of)
  return value
}

export const requireLineForm = (line: string, value: Json, of: string): void =>
  requireForm(of, line === JSON.stringify(value) || isCanonical(line, value))

export function requireForm(of: string, kept: boolean): void {
  if (!kept)
    throw new Broken(
      `${of} is not in the form in which the service writes it: another program could read something else in it.`,
    )
}

const harmlessCharacters = 4096

/** Members, elements and structures of a JSON text together, and its levels. What is in its strings doesn't count. */
export function structureOf(text: string): { values: number; levels: number } {
  let [values, level, levels] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    // , : [ {
    else if (code === 0x2c || code === 0x3a) values += 1
    else if (code === 0x5b || code === 0x7b) {
      values += 1
      level += 1
      if (level > levels) levels = level
    } else if (code === 0x5d || code === 0x7d) level -= 1
  }
  return { values, levels }
}

/** The position of the quotation mark that ends the string at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

/** RFC 8785 for values from JSON.parse: numbers as JavaScript writes them, members in the order of UTF-16 units. */
export function canonical(value: Json): string {
  // As in nearly all that the service wrote. JavaScript's own writer differs in the order of members only, and is much faster.
  if (isInOrder(value)) return JSON.stringify(value)
  // All parts are joined once or twice: a long text would otherwise be copied for each structure around it.
  const [whole, parts]: [string[], string[]] = [[], []]
  eachPart(value, (part) => {
    parts.push(part)
    if (parts.length === partsAtOnce) whole.push(parts.splice(0).join(''))
    return true
  })
  whole.push(parts.join(''))
  return whole.length === 1 ? (whole[0] ?? '') : whole.join('')
}

const partsAtOnce = 4096

/** Whether the text is the canonical JSON of the value. */
export function isCanonical(text: string, value: Json): boolean {
  let at = 0
  const same = eachPart(value, (part) => {
    const found = text.startsWith(part, at)
    at += part.length
    return found
  })
  return same && at === text.length
}

/** Whether JavaScript enumerates the members of each object in the order of UTF-16 units. */
function isInOrder(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const inner of value) if (!isInOrder(inner)) return false
    return true
  }
  let before = ''
  for (const name of Object.keys(value)) {
    if (name < before || !isInOrder(value[name] ?? null)) return false
    before = name
  }
  return true
}

/** Calls `write` with the canonical JSON of the value, in parts, until it returns false, and then returns false, too. */
function eachPart(value: Json, write: (part: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return write(JSON.stringify(value))
  const isList = Array.isArray(value)
  if (!write(isList ? '[' : '{')) return false
  if (isList) {
    for (const [index, inner] of value.entries())
      if ((index > 0 && !write(',')) || !eachPart(inner, write)) return false
  } else
    for (const [index, name] of Object.keys(value).sort().entries())
      if (!write(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`) || !eachPart(value[name] ?? null, write))
        return false
  return write(isList ? ']' : '}')
}

const shortText = 64 * 1024

/** SHA-256 over `before` and the text in UTF-8, without a second copy of a long text. */
export function sha256OfText(text: string, before: Bytes = nothing): Bytes {
  if (text.length <= shortText && before.length <= mostBefore) {
    hashedNow.set(before)
    const { written } = encoder.encodeInto(text, hashedNow.subarray(before.length))
    return sha256Now(hashedNow.subarray(0, before.length + written))
  }
  const hash = incrementalSha256()
  hash.update(before)
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + shortText - 1)
    // Both halves of a surrogate pair belong to one piece.
    const end = at + shortText + (last >= 0xd800 && last < 0xdc00 ? 1 : 0)
    hash.update(encode(text.slice(at, end)))
    at = end
  }
  return hash.digest()
}

const nothing: Bytes = new Uint8Array()
const mostBefore = 1024
/** Shared by all hashes of short texts, because nothing awaits between writing and hashing. UTF-8 has three bytes for a unit at most. */
const hashedNow = new Uint8Array(mostBefore + 3 * shortText)

/** Of milliseconds since 1970. */
export const minuteOf = (at: number): string =>
  Math.abs(at) < 8.64e15 ? `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'an unknown time'

/** The next task of the event loop, so that a page stays responsive and a stop is heard. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
