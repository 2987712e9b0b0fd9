import type { Bytes } from '../bytes.ts'
import type { Source } from '../container/source.ts'

const pieceBytes = 128 * 1024

/** A file of Node, which stays open until it is closed. */
export type OpenFile = Source & { close(): Promise<void> }

/**
 * Opens a file of any size. Node's own openAsBlob() keeps sizes and positions in 32 bits, so that it reads something else than the content
 * of an archive of 4 GiB or more (Node 20 to 24). As with a Blob, reading fails with NotReadableError when the file has changed since it
 * was opened.
 */
export async function openFile(path: string): Promise<OpenFile> {
  const { open } = await import('node:fs/promises')
  const handle = await open(path)
  const before = await handle.stat().catch(async (error: unknown) => {
    await handle.close()
    throw error
  })

  /** As many bytes as there are from `at` on, up to the length of `into`. */
  async function read(into: Bytes, at: number): Promise<number> {
    try {
      const { bytesRead } = await handle.read(into, 0, into.length, at)
      const now = await handle.stat()
      if (bytesRead === 0 || now.size !== before.size || now.mtimeMs !== before.mtimeMs)
        throw new Error('The file has changed since it was opened.')
      return bytesRead
    } catch (error) {
      throw new DOMException(error instanceof Error ? error.message : String(error), 'NotReadableError')
    }
  }

  const part = (from: number, to: number): Source => ({
    size: to - from,
    slice: (start, end = to - from) => part(Math.min(from + start, to), Math.min(from + end, to)),
    async arrayBuffer() {
      const whole = new Uint8Array(to - from)
      for (let done = 0; done < whole.length; ) done += await read(whole.subarray(done), from + done)
      return whole.buffer
    },
    stream() {
      let at = from
      return new ReadableStream<Bytes>(
        {
          async pull(controller) {
            if (at >= to) return controller.close()
            const piece = new Uint8Array(Math.min(pieceBytes, to - at))
            const count = await read(piece, at)
            at += count
            controller.enqueue(piece.subarray(0, count))
          },
        },
        { highWaterMark: 0 },
      )
    },
  })
  return { ...part(0, before.size), close: () => handle.close() }
}
