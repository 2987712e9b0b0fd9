import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** What lies on the disk is not what was written. */
export class WrittenWrong extends Error {
  override readonly name = 'WrittenWrong'
}

/**
 * The last step before an archive is stored, in the export's own process: reads the file back from the disk and compares it
 * with what was hashed while it was written. Throws WrittenWrong, and then nothing is published.
 */
export async function verifyWritten(
  path: string,
  written: { bytes: number; sha256: string },
  onBytes: (count: number) => void,
): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    hash.update(chunk)
    bytes += chunk.length
    onBytes(chunk.length)
  }
  if (bytes !== written.bytes || hash.digest('hex') !== written.sha256)
    throw new WrittenWrong('The archive on the disk is not the one that was written.')
}
