import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sized } from '#server/testing/properties/counts.ts'
import { incrementalSha256, incrementalSha256Here, sha256Here, sha256Now, sha256OfFile } from './sha256.ts'

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe.each([
  { of: 'a browser', now: sha256Here, incremental: incrementalSha256Here },
  { of: 'Node', now: sha256Now, incremental: incrementalSha256 },
])('as in $of', ({ now, incremental }) => {
  test('matches the system’s SHA-256 at every length around the ends of blocks', () => {
    const bytes = randomBytes(300)
    for (let length = 0; length <= bytes.length; length++) {
      const hash = incremental()
      hash.update(bytes.subarray(0, length))
      expect(hexOf(hash.digest()), `${length} bytes`).toBe(expected(bytes.subarray(0, length)))
      expect(hexOf(now(bytes.subarray(0, length))), `${length} bytes at once`).toBe(expected(bytes.subarray(0, length)))
    }
  })

  test('matches it for a large input', async () => {
    for (const length of [4095, 4096, 4097, 1_000_003]) {
      const bytes = randomBytes(length)
      expect(hexOf(now(bytes)), `${length} bytes`).toBe(expected(bytes))
      expect(hexOf(await sha256OfFile(new Uint8Array(bytes))), `a file of ${length} bytes`).toBe(expected(bytes))
    }
  })

  test('gives the same digest however the bytes are split', () => {
    const bytes = randomBytes(100_000)
    for (const size of [1, 3, 63, 64, 65, 1000, 65_536]) {
      const hash = incremental()
      for (let at = 0; at < bytes.length; at += size) hash.update(bytes.subarray(at, at + size))
      expect(hexOf(hash.digest()), `pieces of ${size}`).toBe(expected(bytes))
    }
  })

  test('counts lengths beyond 32 bits', () => {
    // 512 MiB are 2^32 bits; npm test counts an eighth of them.
    const piece = new Uint8Array(64 * 1024 * 1024)
    const [hash, system] = [incremental(), createHash('sha256')]
    for (let count = 0; count < sized(8, 1); count++) {
      hash.update(piece)
      system.update(piece)
    }
    hash.update(Uint8Array.of(1))
    expect(hexOf(hash.digest())).toBe(system.update(Uint8Array.of(1)).digest('hex'))
  }, 120_000)
})
