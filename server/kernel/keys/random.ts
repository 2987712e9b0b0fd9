import { randomBytes } from 'node:crypto'

const drawn = 8192
let pool = Buffer.alloc(0)

/**
 * Random bytes for a salt or a nonce, each used once. Drawn in blocks of thousands, because one draw costs as much as
 * encrypting a span.
 */
export function fewRandomBytes(length: number): Buffer {
  if (pool.length < length) pool = randomBytes(drawn)
  const bytes = pool.subarray(0, length)
  pool = pool.subarray(length)
  return bytes
}
