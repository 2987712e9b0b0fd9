import { randomBytes } from 'node:crypto'
import { deflateRawSync, crc32 as ofZlib } from 'node:zlib'
import { expect, test } from 'vitest'
import { crc32, crc32Here } from './crc32.ts'
import { inflatedNow, nodeZlib } from './node-zlib.ts'

test.each([
  ['Node', crc32],
  ['a browser', crc32Here],
])('in %s the CRC-32 is the same, however the bytes are split', (_where, sum) => {
  for (const length of [0, 1, 7, 8, 9, 1000, 100_003]) {
    const bytes = randomBytes(length)
    const half = length >> 1
    expect(sum(0, bytes)).toBe(ofZlib(bytes))
    expect(sum(sum(0, bytes.subarray(0, half)), bytes.subarray(half))).toBe(ofZlib(bytes))
  }
})

test('Node unpacks in one call, and says where the stream ends', () => {
  const zlib = nodeZlib()
  if (zlib === undefined) throw new Error('Node has zlib.')
  for (const length of [0, 1, 5000, 300_000]) {
    const bytes = Buffer.alloc(length, 'evidence ')
    const packed = deflateRawSync(bytes, { level: 1 })
    const found = inflatedNow(zlib, Buffer.concat([packed, Buffer.from('more')]), length)
    expect(found?.taken).toBe(packed.length)
    expect(Buffer.compare(Buffer.from(found?.bytes ?? []), bytes)).toBe(0)
    if (length > 0) expect(inflatedNow(zlib, packed, length - 1)).toBeUndefined()
    expect(inflatedNow(zlib, packed, length + 100)?.bytes.length).toBe(length)
    expect(() => inflatedNow(zlib, packed.subarray(0, -1), length)).toThrow()
  }
})
