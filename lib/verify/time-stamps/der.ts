import { Broken, type Bytes } from '../bytes.ts'

// DER (X.690), as far as time-stamps and certificates need it.

/** One element. `raw` includes its tag and length, `body` does not. */
export type Der = { tag: number; raw: Bytes; body: Bytes }

export const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
}

const malformed = () => new Broken('A value in the time-stamp or its certificates is malformed.')

/** The elements of `bytes`, one after the other. Broken unless they fill it exactly. */
export function elementsOf(bytes: Bytes): Der[] {
  const found: Der[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]]
    // Tags of several bytes and indefinite lengths do not occur in these formats.
    if ((tag & 0x1f) === 0x1f || first === 0x80 || first > 0x84) throw malformed()
    const lengthBytes = first < 0x80 ? 0 : first - 0x80
    let length = first < 0x80 ? first : 0
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0)
    const start = at + 2 + lengthBytes
    const end = start + length
    if (end > bytes.length) throw malformed()
    found.push({ tag, raw: bytes.slice(at, end), body: bytes.slice(start, end) })
    at = end
  }
  return found
}

/** The element at `place` within another one. Broken when it is missing or has another tag. */
export function inside(parent: Der | undefined, place: number, tag: number): Der {
  const found = parent === undefined ? undefined : elementsOf(parent.body)[place]
  if (found?.tag !== tag) throw malformed()
  return found
}

/** The one element that `bytes` are. */
export function onlyElement(bytes: Bytes, tag: number): Der {
  const [found, more] = elementsOf(bytes)
  if (found?.tag !== tag || more !== undefined) throw malformed()
  return found
}

/** An object identifier in its dotted form. */
export function oidOf({ tag, body }: Der): string {
  if (tag !== tags.oid || body.length === 0) throw malformed()
  const arcs: number[] = []
  let value = 0
  for (const byte of body) {
    value = value * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) continue
    arcs.push(value)
    value = 0
  }
  const [first = 0, ...rest] = arcs
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - 40 * top, ...rest].join('.')
}

/** UTCTime or GeneralizedTime, in milliseconds since 1970. Both end in Z in these formats. */
export function timeOf({ tag, body }: Der): number {
  const text = String.fromCharCode(...body)
  const [, year = '', month, day, hour, minute, second, fraction = ''] =
    /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\.\d+)?Z$/.exec(text) ?? []
  if ((tag === tags.utcTime ? 2 : tag === tags.generalizedTime ? 4 : 0) !== year.length) throw malformed()
  // RFC 5280, 4.1.2.5.1.
  const full = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`
  const time = Date.parse(`${full}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`)
  if (Number.isNaN(time)) throw malformed()
  return time
}
