// Node's own zlib, for verify.mjs and the server's check of an archive: a file is unpacked in one call instead of through a stream,
// and its CRC-32 costs a tenth. In a browser, and in a Node that is older than this function, there is none.

type Zlib = {
  crc32?(bytes: Uint8Array, before: number): number
  inflateRawSync(bytes: Uint8Array, options: { info: true; maxOutputLength: number; chunkSize: number }): unknown
}
type WithZlib = { process?: { getBuiltinModule?(name: 'node:zlib'): Zlib | undefined } }

export const nodeZlib = (): Zlib | undefined => (globalThis as WithZlib).process?.getBuiltinModule?.('node:zlib')

const leastChunk = 64

/**
 * Unpacks a whole stream (RFC 1951) of at most `size` bytes, and how many of its bytes it took. Undefined for more. Throws for one that
 * can't be unpacked.
 */
export function inflatedNow(
  { inflateRawSync }: Zlib,
  packed: Uint8Array,
  size: number,
): { bytes: Uint8Array<ArrayBuffer>; taken: number } | undefined {
  try {
    // Room for one byte more, so that the whole fits into one buffer and a larger one is noticed.
    const options = { info: true, maxOutputLength: size + 1, chunkSize: Math.max(leastChunk, size + 1) } as const
    const { buffer, engine } = inflateRawSync(packed, options) as {
      buffer: Uint8Array<ArrayBuffer>
      engine: { bytesWritten: number }
    }
    return buffer.length > size
      ? undefined
      : { bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length), taken: engine.bytesWritten }
  } catch (error) {
    if (error instanceof RangeError && (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
