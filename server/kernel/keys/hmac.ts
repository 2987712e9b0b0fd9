import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32
const scratchBytes = 8192

/**
 * HMAC-SHA-256 (RFC 2104) of texts under one key of at most 64 bytes, for thousands of digests: two one-shot hashes
 * cost a third of an Hmac object. Do not keep the returned function longer than the key.
 */
export function hmacSha256(key: Uint8Array): (text: string) => Buffer {
  if (key.byteLength > blockBytes) throw new RangeError('The key must have at most ${blockBytes} bytes.')
  const pad = (byte: number) => {
    const block = Buffer.alloc(blockBytes, byte)
    for (const [index, value] of key.entries()) block[index] = byte ^ value
    return block
  }
  const outer = Buffer.concat([pad(0x5c), Buffer.alloc(digestBytes)])
  const innerPad = pad(0x36)
  // Safe to reuse, because this code is synchronous.
  const scratch = Buffer.concat([innerPad], scratchBytes)
  return (text) => {
    const end = blockBytes + Buffer.byteLength(text)
    const inner = end <= scratchBytes ? scratch : Buffer.concat([innerPad], end)
    inner.write(text, blockBytes)
    outer.set(hash('sha256', inner.subarray(0, end), 'buffer'), blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}
