import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacSha256 } from './hmac.ts'

test('is HMAC-SHA-256 for texts and keys of any length', () => {
  for (const keyBytes of [0, 1, 32, 64]) {
    const key = randomBytes(keyBytes)
    const digest = hmacSha256(key)
    for (const text of ['', 'a', 'ü😀', 'x'.repeat(8192 - 64), 'x'.repeat(8192 - 63), 'ü'.repeat(50_000), 'again'])
      expect(digest(text)).toEqual(createHmac('sha256', key).update(text).digest())
  }
  expect(() => hmacSha256(randomBytes(65))).toThrow(RangeError)
})
