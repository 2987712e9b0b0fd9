// Reads the wire format of Protocol Buffers in place (https://protobuf.dev/programming-guides/encoding/), without an object for
// each nested message: a span with ten attributes has thirty of them.

/** The message ends too early, or its next bytes are not a field. */
export class WireError extends Error {}

/** Wire types: the last three bits of a tag. */
const varintType = 0
const bit64Type = 1
const bytesType = 2
const startGroup = 3
const endGroup = 4
const bit32Type = 5

/** The tag of a field, as one number. */
export const varintField = (field: number): number => (field << 3) | varintType
export const bit64Field = (field: number): number => (field << 3) | bit64Type
export const bytesField = (field: number): number => (field << 3) | bytesType

/** The depth of nested groups that are skipped. */
const maxGroups = 100
/** The number and length of cached keys. The same few occur in each span, in the same order. */
const maxKeys = 64
const longestKey = 64

export class Wire {
  /** The read position, moved by each read. */
  at = 0
  readonly #bytes: Buffer
  readonly #keys: (string | undefined)[] = []
  /** Which of the keys is expected next. */
  #nextKey = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  get length(): number {
    return this.#bytes.length
  }

  /** Returns number and type of the next field in a message that ends at `end`. */
  tag(end: number): number {
    const tag = this.#varint32(end)
    if (tag >>> 3 === 0) throw new WireError('a field lacks a number')
    return tag
  }

  /** Returns the end of the message or text that begins here. */
  span(end: number): number {
    const length = this.#varint32(end)
    const stop = this.at + length
    if (stop > end) throw new WireError('a field is longer than its message')
    return stop
  }

  /** Lenient: an invalid byte becomes U+FFFD, because an unreadable letter should not cost the whole span. */
  text(end: number): string {
    const stop = this.span(end)
    const text = this.#bytes.toString('utf8', this.at, stop)
    this.at = stop
    return text.includes('\u0000') ? text.replaceAll('\u0000', '\ufffd') : text
  }

  /** Like text(), for a name that probably occurred before, after the same preceding name. */
  key(end: number): string {
    const from = this.at
    const guess = this.#keys[this.#nextKey]
    if (guess !== undefined) {
      const stop = this.span(end)
      if (this.#holds(guess, stop)) {
        this.at = stop
        this.#nextKey = (this.#nextKey + 1) % maxKeys
        return guess
      }
      this.at = from
    }
    const text = this.text(end)
    // The order begins again, or differs.
    const known = this.#keys.indexOf(text)
    if (known === -1 && text.length <= longestKey) this.#keys[this.#nextKey] = text
    this.#nextKey = ((known === -1 ? this.#nextKey : known) + 1) % maxKeys
    return text
  }

  hex(end: number): string {
    const stop = this.span(end)
    const text = this.#bytes.toString('hex', this.at, stop)
    this.at = stop
    return text
  }

  base64(end: number): string {
    const stop = this.span(end)
    const text = this.#bytes.toString('base64', this.at, stop)
    this.at = stop
    return text
  }

  bool(end: number): boolean {
    const { low, high } = this.varint(end)
    return low !== 0 || high !== 0
  }

  int32(end: number): number {
    return this.varint(end).low | 0
  }

  /** Reads a 64-bit integer, as text if a number can't represent it exactly. */
  int64(end: number): number | string {
    const { low, high } = this.varint(end)
    const number = (high | 0) * 2 ** 32 + low
    if (Number.isSafeInteger(number)) return number
    return String(BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)))
  }

  double(end: number): number {
    return this.#bytes.readDoubleLE(this.#fixed(8, end))
  }

  /** Reads a fixed64 of nanoseconds as microseconds. In two halves, because a BigInt costs more than the rest of the span. */
  micros(end: number): number {
    const from = this.#fixed(8, end)
    const low = this.#bytes.readUInt32LE(from)
    const high = this.#bytes.readUInt32LE(from + 4)
    return Math.floor(high / 1000) * 2 ** 32 + Math.floor(((high % 1000) * 2 ** 32 + low) / 1000)
  }

  /** Skips a field that is unknown or has an unexpected type. */
  skip(tag: number, end: number, groups = 0): void {
    const type = tag & 7
    if (type === varintType) this.varint(end)
    else if (type === bit64Type) this.#fixed(8, end)
    else if (type === bit32Type) this.#fixed(4, end)
    else if (type === bytesType) this.at = this.span(end)
    else if (type === startGroup && groups < maxGroups) {
      for (let inner = this.tag(end); (inner & 7) !== endGroup; inner = this.tag(end)) this.skip(inner, end, groups + 1)
    } else throw new WireError('a field has an unknown type')
  }

  /** Reads 64 unsigned bits in two halves. */
  varint(end: number): { low: number; high: number } {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte(end)
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high |= bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte < 0x80) return { low: low >>> 0, high: high >>> 0 }
    }
    throw new WireError('a number has more than ten bytes')
  }

  #varint32(end: number): number {
    const first = this.#byte(end)
    if (first < 0x80) return first
    this.at -= 1
    const { low, high } = this.varint(end)
    if (high !== 0) throw new WireError('a number has more than 32 bits')
    return low
  }

  #byte(end: number): number {
    const byte = this.at < end ? this.#bytes[this.at] : undefined
    if (byte === undefined) throw new WireError('the message ends too early')
    this.at += 1
    return byte
  }

  #fixed(bytes: number, end: number): number {
    const from = this.at
    if (from + bytes > end) throw new WireError('the message ends too early')
    this.at = from + bytes
    return from
  }

  /** Whether the bytes up to `stop` are exactly `text`. False for bytes that are not ASCII. */
  #holds(text: string, stop: number): boolean {
    const from = this.at
    if (stop - from !== text.length) return false
    for (let index = 0; index < text.length; index++) {
      const byte = this.#bytes[from + index]
      if (byte !== text.charCodeAt(index) || byte > 0x7f) return false
    }
    return true
  }
}
