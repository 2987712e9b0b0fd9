import { createHash } from 'node:crypto'

/** Text is written as UTF-8. */
export type Content = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

export type Tally = {
  /** The content as bytes, to be read once. */
  bytes: AsyncGenerator<Buffer>
  /** What has been read so far: size in bytes, lines (the last one needs no newline), SHA-256 in hex. Ends the count. */
  result(): { bytes: number; lines: number; sha256: string }
}

/** Small pieces of text are joined up to this many characters: a chunk per line would cost more than its hash. */
const joinedLength = 64 * 1024
const newline = 0x0a

/** Counts and hashes `content` while it is read. Reading throws TypeError for text with lone surrogates. */
export function tally(content: Content): Tally {
  const hash = createHash('sha256')
  let size = 0
  let newlines = 0
  let lastByte = newline

  async function* read(): AsyncGenerator<Buffer> {
    for await (const chunk of joined(content)) {
      hash.update(chunk)
      size += chunk.byteLength
      newlines += countNewlines(chunk)
      lastByte = chunk.at(-1) ?? lastByte
      yield chunk
    }
  }

  return {
    bytes: read(),
    result: () => ({ bytes: size, lines: newlines + (lastByte === newline ? 0 : 1), sha256: hash.digest('hex') }),
  }
}

async function* joined(content: Content): AsyncGenerator<Buffer> {
  let text = ''
  for await (const chunk of content) {
    if (typeof chunk === 'string') {
      // Buffer.from would silently write such a character as U+FFFD.
      if (!chunk.isWellFormed())
        throw new TypeError('The text contains a lone surrogate and cannot be written as UTF-8.')
      text += chunk
      if (text.length < joinedLength) continue
      yield Buffer.from(text)
      text = ''
    } else {
      if (text !== '') yield Buffer.from(text)
      text = ''
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  }
  if (text !== '') yield Buffer.from(text)
}

function countNewlines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++
  return count
}
