import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import ZipStream from 'zip-stream'

// The same content results in the same bytes: the archive doesn't contain the machine's clock, accounts or umask.
const entryTime = new Date('1980-01-01T00:00:00Z')
const entryMode = 0o644
// Records are mostly digests and ids, which hardly shrink: level 6 would take three times the CPU for a tenth of the size.
const compressionLevel = 1
// A piece for each call of zlib and each write, instead of 16 KB.
const pieceBytes = 128 * 1024

export type ZipWriter = {
  /** Writes one entry, reading `content` only as fast as `out` takes it. Rejects when either side fails. */
  write(path: string, content: AsyncIterable<Buffer>): Promise<void>
  /** Writes the central directory and ends `out`; the size of the archive in bytes. */
  finish(): Promise<number>
}

/**
 * A ZIP64 archive written as a stream into `out`, one entry after the other.
 * After any failure `out` is destroyed, without a central directory, and every further call rejects with the first error.
 */
export function openZip(out: Writable): ZipWriter {
  // ZIP64 always: decided per archive, zip-stream would miscount one with exactly 65,535 entries.
  const zip = new ZipStream({ forceZip64: true, zlib: { level: compressionLevel, chunkSize: pieceBytes } })
  let failure: Error | undefined
  const written = pipeline(zip, out)
  written.catch((error: Error) => {
    failure ??= error
  })

  async function write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
    if (failure) throw failure
    const source = Readable.from(content, { objectMode: false })
    const entry = new Promise<void>((resolve, reject) => {
      zip.entry(source, { name: path, date: entryTime, mode: entryMode }, (error) =>
        error ? reject(error) : resolve(),
      )
    })
    try {
      // When `out` fails, the archive no longer has a reader, and the entry would never end by itself.
      await Promise.race([entry, written])
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error('The archive could not be written.', { cause: error })
      source.destroy()
      zip.destroy(failure)
      throw failure
    }
  }

  async function finish(): Promise<number> {
    if (failure) throw failure
    zip.finalize()
    await written
    return zip.getBytesWritten()
  }

  return { write, finish }
}
