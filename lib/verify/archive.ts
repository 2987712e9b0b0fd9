import { incrementalSha256, sha256OfFile } from '../sha256.ts'
import { Broken, type Bytes, concat, hex, utf8 } from './bytes.ts'
import type { Source } from './container/source.ts'
import { type Entry, pieces } from './container/zip.ts'
import { bytesInWords, most } from './limits.ts'

/** Files up to this size are hashed at once, larger ones while they are read: an archive may be larger than memory. */
const wholeBytes = 4 * 1024 * 1024

/** What a check reads of an archive, by the path below its folder. Broken for a file that is missing or damaged. */
export type Archive = {
  has(path: string): boolean
  paths(): Iterable<string>
  /** In bytes, unpacked. */
  size(path: string): number
  /** Broken for a file of more bytes than `limit`, by default those of a note or a signature. */
  bytes(path: string, limit?: number): Promise<Bytes>
  text(path: string, limit?: number): Promise<string>
  /** In order, without the newline. Broken at a line that is empty, or longer than any that the service writes. */
  linesIn(path: string): AsyncGenerator<string>
  pieces(path: string): AsyncGenerator<Bytes>
  /** SHA-256 in hex, and the number of lines; counts as progress. */
  digest(path: string): Promise<{ sha256: string; lines: number }>
}

/** `progress` receives the share of the files' bytes hashed so far, from 0 to 1. */
export function archiveOf(
  file: Source,
  entries: ReadonlyMap<string, Entry>,
  progress: ((share: number) => void) | undefined,
): Archive {
  const entryOf = (path: string): Entry => {
    const entry = entries.get(path)
    if (entry === undefined) throw new Broken(`${path} is missing.`)
    return entry
  }
  const total = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0)
  let hashed = 0
  const bytes = async (path: string, limit: number = most.textBytes) => {
    const entry = entryOf(path)
    checkSize(path, entry.size, limit)
    return await whole(file, entry)
  }
  return {
    has: (path) => entries.has(path),
    paths: () => entries.keys(),
    size: (path) => entryOf(path).size,
    bytes,
    text: async (path, limit) => utf8(await bytes(path, limit)),
    linesIn: (path) => linesOf(path, pieces(file, entryOf(path))),
    pieces: (path) => pieces(file, entryOf(path)),
    digest: (path) =>
      digestOf(path, file, entryOf(path), (count) => {
        hashed += count
        progress?.(Math.min(1, hashed / total))
      }),
  }
}

export function checkSize(path: string, size: number, limit: number): void {
  if (size > limit)
    throw new Broken(`${path} is larger than ${bytesInWords(limit)}, which the service never writes. It is not read.`)
}

async function whole(file: Source, entry: Entry): Promise<Bytes> {
  const parts: Bytes[] = []
  for await (const piece of pieces(file, entry)) parts.push(piece)
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : concat(...parts)
}

async function digestOf(path: string, file: Source, entry: Entry, read: (count: number) => void) {
  let lines = 0
  let lastByte = 0x0a
  const guard = path.endsWith('.ndjson') ? lineGuard(path) : undefined
  const count = (piece: Bytes) => {
    guard?.(piece)
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, at + 1)) lines++
    lastByte = piece.at(-1) ?? lastByte
    read(piece.length)
  }
  const done = (sha256: Bytes) => ({ sha256: hex(sha256), lines: lines + (lastByte === 0x0a ? 0 : 1) })
  if (entry.size <= wholeBytes) {
    const bytes = await whole(file, entry)
    count(bytes)
    return done(await sha256OfFile(bytes))
  }
  const hash = incrementalSha256()
  for await (const piece of pieces(file, entry)) {
    hash.update(piece)
    count(piece)
  }
  return done(hash.digest())
}

/** Receives the pieces of a file in order. Broken as soon as a line is longer than any that the service writes. */
function lineGuard(path: string): (piece: Bytes) => void {
  let held = 0
  return (piece) => {
    const [first, last] = [piece.indexOf(0x0a), piece.lastIndexOf(0x0a)]
    if (held + (first === -1 ? piece.length : first) > most.lineBytes)
      throw new Broken(
        `${path} has a line of more than ${bytesInWords(most.lineBytes)}, which the service never writes. It is not read further.`,
      )
    held = last === -1 ? held + piece.length : piece.length - last - 1
  }
}

async function* linesOf(path: string, text: AsyncIterable<Bytes>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const guard = lineGuard(path)
  let rest = ''
  for await (const piece of text) {
    guard(piece)
    const [first = '', ...more] = decoder.decode(piece, { stream: true }).split('\n')
    rest += first
    for (const next of more) {
      if (rest === '') throw new Broken(`${path} has an empty line.`)
      yield rest
      rest = next
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
