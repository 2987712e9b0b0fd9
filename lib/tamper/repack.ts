import { type Bytes, concat, encode } from '#lib/verify/bytes.ts'
import { crc32 } from '#lib/verify/container/crc32.ts'
import { openZip } from '#lib/verify/container/zip.ts'

const setters = { 2: 'setUint16', 4: 'setUint32' } as const

/** Numbers in the little-endian fields of a ZIP, as pairs of width and value. */
function fields(...pairs: [width: 2 | 4 | 8, value: number][]): Bytes {
  const view = new DataView(new ArrayBuffer(pairs.reduce((sum, [width]) => sum + width, 0)))
  let at = 0
  for (const [width, value] of pairs) {
    if (width === 8) view.setBigUint64(at, BigInt(value), true)
    else view[setters[width]](at, value, true)
    at += width
  }
  return new Uint8Array(view.buffer)
}

const entryTime = 0x00210000

/**
 * The archive with other bytes for some of its files, in the grammar that the verifier demands (lib/verify/container/zip.ts), so that
 * only the content differs. For archives below 4 GiB. Broken for a file that is not an archive.
 */
export async function repacked(file: Blob, changes: ReadonlyMap<string, Bytes>): Promise<Blob> {
  const { entries } = await openZip(file)
  const parts: (Blob | Bytes)[] = []
  const directory: Bytes[] = []
  let position = 0
  for (const [path, entry] of entries) {
    const content = changes.get(path)
    const body = content === undefined ? file.slice(entry.dataAt, entry.dataAt + entry.packed) : await deflated(content)
    const [crc, packed, size] =
      content === undefined ? [entry.crc, entry.packed, entry.size] : [crc32(0, content), body.size, content.length]
    const name = encode(entry.name)
    const local = concat(
      fields(
        [4, 0x04034b50],
        [2, 20],
        [2, 8],
        [2, 8],
        [4, entryTime],
        [4, 0],
        [4, 0],
        [4, 0],
        [2, name.length],
        [2, 0],
      ),
      name,
    )
    const descriptor = fields([4, 0x08074b50], [4, crc], [4, packed], [4, size])
    parts.push(local, body, descriptor)
    directory.push(
      fields([4, 0x02014b50], [2, 0x032d], [2, 20], [2, 8], [2, 8], [4, entryTime], [4, crc], [4, packed], [4, size]),
      fields([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0x81a40020], [4, position]),
      name,
    )
    position += local.length + packed + descriptor.length
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0)
  const end = concat(
    fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, entries.size], [8, entries.size]),
    fields([8, length], [8, position], [4, 0x07064b50], [4, 0], [8, position + length], [4, 1]),
    fields([4, 0x06054b50], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, 0xffffffff], [4, 0xffffffff], [2, 0]),
  )
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}

const deflated = (content: Bytes): Promise<Blob> =>
  new Response(new Blob([content]).stream().pipeThrough(new CompressionStream('deflate-raw'))).blob()
