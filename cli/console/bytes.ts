import { createHash } from 'node:crypto'
import type { Span } from '#lib/console-build.ts'

/** Collects runs of bytes; equal ones are stored once. */
export function createBytes() {
  const chunks: Buffer[] = []
  const known = new Map<string, Span>()
  let size = 0
  return {
    add(bytes: Buffer): Span {
      const digest = createHash('sha256').update(bytes).digest('base64')
      const before = known.get(digest)
      if (before !== undefined) return before
      const span: Span = [size, bytes.length]
      known.set(digest, span)
      chunks.push(bytes)
      size += bytes.length
      return span
    },
    all: (): Buffer => Buffer.concat(chunks),
  }
}

export type Bytes = ReturnType<typeof createBytes>
