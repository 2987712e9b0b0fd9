import { incrementalSha256 } from '../sha256.ts'
import { Broken, type Bytes, concat, hex, utf8 } from './bytes.ts'
import { type Entry, pieces } from './zip.ts'

/** Files up to this size are hashed at once, larger ones while they are read: an archive may be larger than memory. */
const wholeBytes = 16 * 1024 * 1024
/** The largest file that a check may hold in memory: lists, notes, signatures. */
const mostBytes = 64 * 1024 * 1024

/** What a check reads of an archive, by the path below its folder. Broken for a file that is missing or damaged. */
export type Archive = {
  has(path: string): boolean
  paths(): Iterable<string>
  /** In bytes, unpacked. */
  size(path: string): number
  bytes(path: string): Promise<Bytes>
  text(path: string): Promise<string>
  /** In order, without the newline; empty lines are left out. */
  linesIn(path: string): AsyncGenerator<string>
  pieces(path: string): AsyncGenerator<Bytes>
  /** SHA-256 in hex, and the number of lines; counts as progress. */
  digest(path: string): Promise<{ sha256: string; lines: number }>
}

/** `progress` receives the share of the files' bytes hashed so far, from 0 to 1. */
export function archiveOf(
  file: Blob,
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
  const bytes = async (path: string) => {
    const entry = entryOf(path)
    if (entry.size > mostBytes) throw new Broken(`${path} is larger than any that the service writes.`)
    return await whole(file, entry)
  }
  return {
    has: (path) => entries.has(path),
    paths: () => entries.keys(),
    size: (path) => entryOf(path).size,
    bytes,
    text: async (path) => utf8(await bytes(path)),
    linesIn: (path) => linesOf(pieces(file, entryOf(path))),
    pieces: (path) => pieces(file, entryOf(path)),
    digest: (path) =>
      digestOf(file, entryOf(path), (count) => {
        hashed += count
        progress?.(Math.min(1, hashed / total))
      }),
  }
}

async function whole(file: Blob, entry: Entry): Promise<Bytes> {
  const parts: Bytes[] = []
  for await (const piece of pieces(file, entry)) parts.push(piece)
  return concat(...parts)
}

async function digestOf(file: Blob, entry: Entry, read: (count: number) => void) {
  let lines = 0
  let lastByte = 0x0a
  const count = (piece: Bytes) => {
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, at + 1)) lines++
    lastByte = piece.at(-1) ?? lastByte
    read(piece.length)
  }
  const done = (sha256: Bytes) => ({ sha256: hex(sha256), lines: lines + (lastByte === 0x0a ? 0 : 1) })
  if (entry.size <= wholeBytes) {
    const bytes = await whole(file, entry)
    count(bytes)
    return done(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  }
  const hash = incrementalSha256()
  for await (const piece of pieces(file, entry)) {
    hash.update(piece)
    count(piece)
  }
  return done(hash.digest())
}

async function* linesOf(text: AsyncIterable<Bytes>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const piece of text) {
    const [first = '', ...more] = decoder.decode(piece, { stream: true }).split('\n')
    rest += first
    for (const next of more) {
      if (rest !== '') yield rest
      rest = next
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
