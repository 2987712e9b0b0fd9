// CRC-32 of a ZIP's entries (APPNOTE 4.4.7). It protects from nothing by itself: it is compared so that this verifier and the
// programs that unpack a ZIP never disagree about a file.

import { nodeZlib } from './node-zlib.ts'

const width = 8
/** Eight tables one after the other: eight bytes per step instead of one. */
const table = new Int32Array(width * 256)
for (let byte = 0; byte < 256; byte++) {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  table[byte] = value
}
for (let at = 256; at < table.length; at++) {
  const before = table[at - 256] ?? 0
  table[at] = (before >>> 8) ^ (table[before & 0xff] ?? 0)
}
const entry = (row: number, byte: number): number => table[(row << 8) | byte] ?? 0

/** Continues `crc` (0 at the start) over `bytes`; an unsigned number of 32 bits. */
export const crc32 = (crc: number, bytes: Uint8Array): number =>
  nodeZlib()?.crc32?.(bytes, crc) ?? crc32Here(crc, bytes)

/** crc32 without Node. */
export function crc32Here(crc: number, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let value = ~crc
  let at = 0
  for (; at + width <= bytes.length; at += width) {
    const low = value ^ view.getInt32(at, true)
    const high = view.getInt32(at + 4, true)
    value =
      entry(7, low & 0xff) ^
      entry(6, (low >>> 8) & 0xff) ^
      entry(5, (low >>> 16) & 0xff) ^
      entry(4, low >>> 24) ^
      entry(3, high & 0xff) ^
      entry(2, (high >>> 8) & 0xff) ^
      entry(1, (high >>> 16) & 0xff) ^
      entry(0, high >>> 24)
  }
  for (; at < bytes.length; at++) value = (value >>> 8) ^ entry(0, (value ^ view.getUint8(at)) & 0xff)
  return ~value >>> 0
}
