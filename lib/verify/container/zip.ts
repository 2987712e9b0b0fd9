import { Broken, type Bytes, utf8 } from '../bytes.ts'
import { bytesInWords, most } from '../limits.ts'
import { isUnreadable, NotChecked, unreadable } from '../report.ts'
import { crc32 } from './crc32.ts'
import { inflatedNow, nodeZlib } from './node-zlib.ts'
import type { Source } from './source.ts'

// The one grammar of the archives that the service writes, in both versions: entries without gaps, each with a local header, its
// bytes and a data descriptor; the directory; the ZIP64 end; the end. Every byte is either packed content or exactly what it
// must be, so that no two programs can unpack different files from one archive. APPNOTE 6.3.10 names the fields. The same content can be
// packed in several ways, so the files are what is proved, not the bytes of the archive.

export type Entry = {
  /** As in the directory, with the folder. */
  name: string
  /** Sizes and positions in bytes. */
  packed: number
  size: number
  crc: number
  dataAt: number
}

const endBytes = 22
const locatorBytes = 20
const zip64EndBytes = 56
const centralBytes = 46
const localBytes = 30
const unknown = 0xffffffff

/** The entries by their path below the archive's one folder, in the order of the file. Broken for any other ZIP. */
export async function openZip(file: Source): Promise<{ entries: Map<string, Entry>; exportId: string }> {
  const { count, directoryAt, directoryEnd } = await readEnd(file)
  if (count > most.entries)
    throw new Broken(`The archive has more than ${most.entries} files, which the service never writes. None is read.`)
  if (directoryEnd - directoryAt > most.directoryBytes)
    throw new Broken(
      `The archive’s directory is larger than ${bytesInWords(most.directoryBytes)}, which the service never writes. It is not read.`,
    )
  const directory = new DataView(await file.slice(directoryAt, directoryEnd).arrayBuffer())
  const entries = new Map<string, Entry>()
  const taken = new Set<string>()
  let [place, position] = [0, 0]
  let top: string | undefined
  for (let index = 0; index < count; index++) {
    const header = centralHeader(directory, place)
    place += header.length
    if (header.offset !== position) throw new Broken(`Before ${shown(header.name)} the archive has hidden bytes.`)
    const [folder = '', ...path] = header.name.split('/')
    top ??= folder
    const inner = path.join('/')
    if (folder !== top || !isPath(path))
      throw new Broken(`The name ${shown(header.name)} does not belong in an archive.`)
    // Where upper and lower case are the same, these would be one file.
    const folded = inner.toLowerCase()
    if (taken.has(folded)) throw new Broken(`${inner} is in the archive twice.`)
    taken.add(folded)
    const { entry, end } = await localEntry(file, header)
    entries.set(inner, entry)
    position = end
  }
  if (place !== directory.byteLength) throw new Broken('The archive’s directory has other entries than it counts.')
  if (position !== directoryAt) throw new Broken('Before its directory the archive has hidden bytes.')
  const exportId = /^evidence-room-([A-Za-z0-9-]{1,64})$/.exec(top ?? '')?.[1]
  if (exportId === undefined) throw new Broken('Not an evidence archive of Countersign.')
  return { entries, exportId }
}

/** What honest people do to an archive, and what then helps. */
const packedAgain =
  'It was packed again by another program, or changed. Get the original file, or extract it and follow README.txt.'

/** The end of the archive: 98 bytes, of which each is fixed, or a position or count that is checked. */
async function readEnd(file: Source): Promise<{ count: number; directoryAt: number; directoryEnd: number }> {
  const tailBytes = zip64EndBytes + locatorBytes + endBytes
  if (file.size < tailBytes) throw new Broken('Not a ZIP archive.')
  const directoryEnd = file.size - tailBytes
  const tail = new DataView(await file.slice(directoryEnd).arrayBuffer())
  if (tail.getUint32(tailBytes - endBytes, true) !== 0x06054b50)
    throw new Broken('Not a ZIP archive, or bytes were added after its end.')
  const [count, directorySize, directoryAt] = [24, 40, 48].map((at) => long(tail, at)) as [number, number, number]
  const expected = new DataView(new ArrayBuffer(tailBytes))
  const write = (at: number, width: 2 | 4 | 8, value: number) =>
    width === 8
      ? expected.setBigUint64(at, BigInt(value), true)
      : width === 4
        ? expected.setUint32(at, value, true)
        : expected.setUint16(at, value, true)
  write(0, 4, 0x06064b50)
  write(4, 8, zip64EndBytes - 12)
  write(12, 2, 45)
  write(14, 2, 45)
  for (const at of [24, 32]) write(at, 8, count)
  write(40, 8, directorySize)
  write(48, 8, directoryAt)
  write(56, 4, 0x07064b50)
  write(64, 8, directoryEnd)
  write(72, 4, 1)
  write(76, 4, 0x06054b50)
  for (const at of [84, 86]) write(at, 2, 0xffff)
  for (const at of [88, 92]) write(at, 4, unknown)
  for (let at = 0; at < tailBytes; at++)
    if (tail.getUint8(at) !== expected.getUint8(at))
      throw new Broken(`The end of the archive is not as the service writes it. ${packedAgain}`)
  if (directoryAt + directorySize !== directoryEnd || count === 0)
    throw new Broken('The archive’s directory is not where its end says.')
  return { count, directoryAt, directoryEnd }
}

type Header = {
  name: string
  nameBytes: Bytes
  packed: number
  size: number
  crc: number
  offset: number
  /** Whether sizes have 8 bytes. */
  wide: boolean
  /** Of the entry in the directory. */
  length: number
}

function centralHeader(directory: DataView<ArrayBuffer>, place: number): Header {
  const damaged = () => new Broken(`The archive’s directory is not as the service writes it. ${packedAgain}`)
  if (place + centralBytes > directory.byteLength) throw damaged()
  const short = (at: number) => directory.getUint16(place + at, true)
  const word = (at: number) => directory.getUint32(place + at, true)
  const [nameLength, extraLength] = [short(28), short(30)]
  const length = centralBytes + nameLength + extraLength
  if (place + length > directory.byteLength) throw damaged()
  const nameBytes = new Uint8Array(directory.buffer, place + centralBytes, nameLength)
  const name = nameOf(nameBytes)
  const wide = word(20) === unknown && word(24) === unknown && word(42) === unknown
  const fixed =
    word(0) === 0x02014b50 &&
    // Made by version 4.5 on Unix.
    short(4) === 0x032d &&
    short(6) === (wide ? 45 : 20) &&
    short(8) === 8 &&
    short(10) === 8 &&
    word(12) === 0x00210000 &&
    short(32) === 0 &&
    short(34) === 0 &&
    short(36) === 0 &&
    // A plain file that everyone may read; no folder, no link.
    word(38) === 0x81a40020
  if (!fixed) throw damaged()
  const crc = word(16)
  if (!wide) {
    if (extraLength !== 0) throw damaged()
    return { name, nameBytes, crc, packed: word(20), size: word(24), offset: word(42), wide, length }
  }
  const extra = place + centralBytes + nameLength
  if (extraLength !== 28 || directory.getUint32(extra, true) !== 0x00180001) throw damaged()
  const [size, packed, offset] = [4, 12, 20].map((at) => long(directory, extra + at)) as [number, number, number]
  return { name, nameBytes, crc, packed, size, offset, wide, length }
}

/** Checks what surrounds an entry's bytes; `end` is the position after its descriptor. */
async function localEntry(file: Source, header: Header): Promise<{ entry: Entry; end: number }> {
  const { name, nameBytes, crc, packed, size, offset } = header
  const dataAt = offset + localBytes + nameBytes.length
  const before = new DataView(await file.slice(offset, dataAt).arrayBuffer())
  // Sizes are 8 bytes wide from 4 GiB on; an entry that only begins beyond 4 GiB has a short descriptor.
  const wideSizes = size > unknown || packed > unknown
  const after = new DataView(await file.slice(dataAt + packed, dataAt + packed + (wideSizes ? 24 : 16)).arrayBuffer())
  const ours =
    before.byteLength === localBytes + nameBytes.length &&
    before.getUint32(0, true) === 0x04034b50 &&
    before.getUint16(4, true) === 20 &&
    before.getUint16(6, true) === 8 &&
    before.getUint16(8, true) === 8 &&
    before.getUint32(10, true) === 0x00210000 &&
    [14, 18, 22].every((at) => before.getUint32(at, true) === 0) &&
    before.getUint16(26, true) === nameBytes.length &&
    before.getUint16(28, true) === 0 &&
    nameBytes.every((byte, index) => before.getUint8(localBytes + index) === byte)
  const closed =
    after.byteLength === (wideSizes ? 24 : 16) &&
    after.getUint32(0, true) === 0x08074b50 &&
    after.getUint32(4, true) === crc &&
    (wideSizes ? long(after, 8) : after.getUint32(8, true)) === packed &&
    (wideSizes ? long(after, 16) : after.getUint32(12, true)) === size
  if (!ours || !closed) throw new Broken(`${shown(name)} is described in two different ways in the archive.`)
  return { entry: { name, packed, size, crc, dataAt }, end: dataAt + packed + after.byteLength }
}

/** Entries whose packed bytes were found to end with their compressed stream. */
const ended = new WeakSet<Entry>()

/** The unpacked bytes as they arrive. Broken as soon as they exceed the size in the directory, and when they differ from it. */
export async function* pieces(file: Source, entry: Entry): AsyncGenerator<Bytes> {
  const { name, packed, size, crc, dataAt } = entry
  const body = file.slice(dataAt, dataAt + packed)
  const zlib = packed <= mostAtOnce && size <= mostAtOnce ? nodeZlib() : undefined
  let [read, sum] = [0, 0]
  for await (const piece of zlib ? inflatedAtOnce(zlib, body, entry) : inflated(body, name)) {
    read += piece.length
    if (read > size) break
    sum = crc32(sum, piece)
    yield piece
  }
  if (read !== size || sum !== crc) throw otherThanListed(name)
  if (zlib || ended.has(entry)) return
  await checkEnd(file, entry)
  ended.add(entry)
}

/** Of a file that is unpacked in one call. An archive may be larger than memory. */
const mostAtOnce = 4 * 1024 * 1024

/** Node ignores bytes after the end of the compressed stream, but says how many it took. */
async function* inflatedAtOnce(
  zlib: NonNullable<ReturnType<typeof nodeZlib>>,
  body: Source,
  { name, size, packed }: Entry,
): AsyncGenerator<Bytes> {
  const bytes = await body.arrayBuffer().catch((error: unknown) => {
    throw isUnreadable(error) ? new NotChecked(unreadable) : error
  })
  let found: ReturnType<typeof inflatedNow>
  try {
    found = inflatedNow(zlib, new Uint8Array(bytes), size)
  } catch {
    throw notUnpacked(name)
  }
  if (found === undefined) throw otherThanListed(name)
  if (found.taken !== packed) throw notUnpacked(name)
  yield found.bytes
}

async function* inflated(body: Source, name: string): AsyncGenerator<Bytes> {
  const reader = body.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const next = () =>
    reader.read().catch((error: unknown) => {
      throw isUnreadable(error) ? new NotChecked(unreadable) : notUnpacked(name)
    })
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value
  } finally {
    // Rejects with the error of a broken stream, which the read above has already reported.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Broken for bytes after the end of an entry’s compressed stream. Browsers and newer versions of Node refuse them while they
 * unpack; Node 20 ignores them. There the entry is unpacked again without its last byte: if that is a whole stream, it ended before.
 */
async function checkEnd(file: Source, { name, packed, dataAt }: Entry): Promise<void> {
  if (asked?.of !== DecompressionStream)
    asked = { of: DecompressionStream, ignores: isWhole(new Blob([new Uint8Array([3, 0, 0])]), 'an empty stream') }
  if (!(await asked.ignores)) return
  if (await isWhole(file.slice(dataAt, dataAt + packed - 1), name)) throw notUnpacked(name)
}

/** Whether this browser or Node ignores bytes after the end of a stream, which is the same for all entries. */
let asked: { of: unknown; ignores: Promise<boolean> } | undefined

/** Whether the bytes contain a compressed stream up to its end. */
async function isWhole(body: Source, name: string): Promise<boolean> {
  try {
    for await (const _ of inflated(body, name));
    return true
  } catch (error) {
    if (error instanceof Broken) return false
    throw error
  }
}

const otherThanListed = (name: string): Broken => new Broken(`${shown(name)} is not what the archive’s directory says.`)
const notUnpacked = (name: string): Broken => new Broken(`${shown(name)} can’t be unpacked.`)

/** Safe in every file system: no way out of the folder, nothing that one of them reads differently. */
const isPath = (path: readonly string[]): boolean =>
  path.length > 0 && path.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/.test(part) && !part.endsWith('.'))

function nameOf(bytes: Bytes): string {
  try {
    return utf8(bytes)
  } catch {
    throw new Broken('A name in the archive is not UTF-8.')
  }
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 200))
/** Positions are below 2^53 in any file that can exist; a larger one fails the comparison with where it must be. */
const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true))
