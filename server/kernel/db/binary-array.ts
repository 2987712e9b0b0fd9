// PostgreSQL's binary form of a one-dimensional array (array_recv), for passing a column of many rows as one parameter.
// The driver would write an array as text, element by element, for the server to parse.

const oids = { bytea: 17, int4: 23, text: 25, date: 1082, timestamptz: 1184, jsonb: 3802 } as const

/** Dimensions, whether an element is null, element type, number of elements, first index. */
const headerBytes = 20

function header(type: keyof typeof oids, count: number, withNull: boolean, into: Buffer): void {
  into.writeInt32BE(count === 0 ? 0 : 1, 0)
  into.writeInt32BE(withNull ? 1 : 0, 4)
  into.writeInt32BE(oids[type], 8)
  into.writeInt32BE(count, 12)
  into.writeInt32BE(1, 16)
}

/** An empty array has zero dimensions. */
const emptyBytes = 12

/**
 * Elements of different lengths. `most` is the maximum size of one element in bytes, `write` returns the bytes written.
 */
function varying<T>(
  type: keyof typeof oids,
  values: readonly (T | null)[],
  most: (value: T) => number,
  write: (value: T, into: Buffer, at: number) => number,
): Buffer {
  let room = headerBytes
  for (const value of values) room += 4 + (value === null ? 0 : most(value))
  const bytes = Buffer.allocUnsafe(room)
  let at = headerBytes
  let withNull = false
  for (const value of values) {
    const length = value === null ? -1 : write(value, bytes, at + 4)
    if (length === -1) withNull = true
    bytes.writeInt32BE(length, at)
    at += 4 + Math.max(length, 0)
  }
  header(type, values.length, withNull, bytes)
  return bytes.subarray(0, values.length === 0 ? emptyBytes : at)
}

function fixed<T>(
  type: keyof typeof oids,
  width: number,
  values: readonly T[],
  write: (value: T, into: Buffer, at: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + values.length * (4 + width))
  let at = headerBytes
  for (const value of values) {
    bytes.writeInt32BE(width, at)
    write(value, bytes, at + 4)
    at += 4 + width
  }
  header(type, values.length, false, bytes)
  return bytes.subarray(0, values.length === 0 ? emptyBytes : at)
}

/** text[]. PostgreSQL does not support U+0000 and refuses it. */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  varying(
    'text',
    values,
    (text) => text.length * 3,
    (text, into, at) => into.write(text, at),
  )

/** bytea[]. */
export const byteaArray = (values: readonly (Uint8Array | null)[]): Buffer =>
  varying(
    'bytea',
    values,
    (value) => value.byteLength,
    (value, into, at) => {
      into.set(value, at)
      return value.byteLength
    },
  )

const firstBytes = 64 * 1024

/** A column that is written value by value, so that no objects have to be kept in memory. */
export class ArrayWriter {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #at = headerBytes
  #count = 0
  #withNull = false
  readonly #type: 'jsonb' | 'bytea'

  constructor(type: 'jsonb' | 'bytea') {
    this.#type = type
  }

  /** The JSON text of a jsonb. */
  json(text: string): void {
    this.#room(5 + text.length * 3)
    this.#bytes[this.#at + 4] = 1
    this.#end(1 + this.#bytes.write(text, this.#at + 5))
  }

  bytes(value: Uint8Array | null): void {
    this.#room(4 + (value?.byteLength ?? 0))
    if (value !== null) this.#bytes.set(value, this.#at + 4)
    this.#end(value?.byteLength ?? -1)
  }

  /** Returns the array. Nothing may be written afterwards. */
  done(): Buffer {
    header(this.#type, this.#count, this.#withNull, this.#bytes)
    return this.#bytes.subarray(0, this.#count === 0 ? emptyBytes : this.#at)
  }

  #end(length: number): void {
    this.#bytes.writeInt32BE(length, this.#at)
    this.#at += 4 + Math.max(length, 0)
    this.#count += 1
    if (length === -1) this.#withNull = true
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

/** int4[]. */
export const intArray = (values: readonly number[]): Buffer =>
  fixed('int4', 4, values, (value, into, at) => into.writeInt32BE(value, at))

const dayMs = 86_400_000
/** 2000-01-01, the epoch of PostgreSQL's times. */
const epochMs = 946_684_800_000

/** date[] of YYYY-MM-DD. */
export const dateArray = (values: readonly string[]): Buffer =>
  fixed('date', 4, values, (day, into, at) => into.writeInt32BE((Date.parse(day) - epochMs) / dayMs, at))

/** timestamptz[] of microseconds since 1970. */
export const microsArray = (values: readonly number[]): Buffer =>
  fixed('timestamptz', 8, values, (micros, into, at) => {
    const since2000 = micros - epochMs * 1000
    const high = Math.floor(since2000 / 2 ** 32)
    into.writeInt32BE(high, at)
    into.writeUInt32BE(since2000 - high * 2 ** 32, at + 4)
  })
