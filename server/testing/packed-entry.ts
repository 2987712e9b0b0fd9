import { deflateRawSync } from 'node:zlib'

// Changes of the packed bytes of one entry, with all positions and sizes in the archive made again.

const endBytes = 98
const centralBytes = 46
const localBytes = 30

/** The archive with other packed bytes in the entry whose name ends with `path`. */
export function withPacked(archive: Buffer, path: string, change: (packed: Buffer) => Buffer): Buffer {
  const end = archive.length - endBytes
  const directory = Number(archive.readBigUInt64LE(end + 48))
  const entries: { at: number; name: string; extra: number }[] = []
  for (let at = directory; at < end; ) {
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)]
    const extra = at + centralBytes + nameLength
    entries.push({ at, name: archive.toString('utf8', at + centralBytes, extra), extra: extraLength === 0 ? 0 : extra })
    at = extra + extraLength
  }
  const changed = entries.find(({ name }) => name.endsWith(path))
  if (changed === undefined) throw new Error(`The archive lacks ${path}.`)
  const field = (copy: Buffer, { at, extra }: { at: number; extra: number }, narrow: number, wide: number) => ({
    get: () => (extra === 0 ? copy.readUInt32LE(at + narrow) : Number(copy.readBigUInt64LE(extra + wide))),
    set: (value: number) =>
      extra === 0 ? copy.writeUInt32LE(value, at + narrow) : copy.writeBigUInt64LE(BigInt(value), extra + wide),
  })
  const packedOf = (copy: Buffer, entry: typeof changed) => field(copy, entry, 20, 12)
  const offsetOf = (copy: Buffer, entry: typeof changed) => field(copy, entry, 42, 20)
  const offset = offsetOf(archive, changed).get()
  const dataAt = offset + localBytes + archive.readUInt16LE(offset + 26)
  const dataEnd = dataAt + packedOf(archive, changed).get()
  const data = change(archive.subarray(dataAt, dataEnd))
  const copy = Buffer.from(archive)
  // Of the descriptor, after its signature and CRC.
  copy.writeUInt32LE(data.length, dataEnd + 8)
  packedOf(copy, changed).set(data.length)
  const more = data.length - (dataEnd - dataAt)
  for (const entry of entries) {
    const position = offsetOf(copy, entry)
    if (position.get() > offset) position.set(position.get() + more)
  }
  copy.writeBigUInt64LE(BigInt(directory + more), end + 48)
  copy.writeBigUInt64LE(BigInt(end + more), end + 56 + 8)
  return Buffer.concat([copy.subarray(0, dataAt), data, copy.subarray(dataEnd)])
}

/** Packed bytes with others after the end of their stream, by what they are. All unpack to the same content. */
export const hiddenAfterStream: readonly (readonly [name: string, (packed: Buffer) => Buffer])[] = [
  ['a byte', (packed) => Buffer.concat([packed, Buffer.from([0])])],
  ['a text', (packed) => Buffer.concat([packed, Buffer.from('This was never sealed. '.repeat(50))])],
  ['more than is read at once', (packed) => Buffer.concat([packed, Buffer.alloc(400_000, 'never sealed')])],
  ['another stream', (packed) => Buffer.concat([packed, deflateRawSync('This was never sealed.')])],
  ['the stream again', (packed) => Buffer.concat([packed, packed])],
]
