// The tar format (ustar), as far as backups need it: regular files, with names of ASCII characters. `tar -tz` lists a backup.

const block = 512

/** The content of a file in the order of the archive: read it to its end before the next file. */
export type TarFile = { name: string; size: number; content: AsyncIterable<Buffer> }

/** The archive ends early, or is not one. */
export class TarError extends Error {
  override readonly name = 'TarError'
}

/** The header of a file of `size` bytes. */
export function tarHeader(name: string, size: number): Buffer {
  if (!/^[\x21-\x7e]+$/.test(name))
    throw new TarError(`${JSON.stringify(name)} can’t be the name of a file in a backup.`)
  const header = Buffer.alloc(block)
  const [prefix, rest] = splitName(name)
  header.write(rest, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(sizeField(size), 124, 'latin1')
  header.write('00000000000\0', 136)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The bytes after a file's content. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * block)

/** A name has up to 100 bytes, and a folder of up to 155 before it. */
function splitName(name: string): [prefix: string, rest: string] {
  if (name.length <= 100) return ['', name]
  const cut = name.indexOf('/', name.length - 101)
  if (cut < 0 || cut > 155) throw new TarError(`The name ${name} is too long for a backup.`)
  return [name.slice(0, cut), name.slice(cut + 1)]
}

/** Eleven octal digits; above 8 GiB a number of eleven bytes after a byte 0x80, which GNU tar reads too. */
function sizeField(size: number): string {
  if (size < 8 ** 11) return `${size.toString(8).padStart(11, '0')}\0`
  const bytes = Buffer.alloc(12)
  bytes[0] = 0x80
  bytes.writeBigUInt64BE(BigInt(size), 4)
  return bytes.toString('latin1')
}

function readSize(field: Buffer): number {
  if (field[0] === 0x80) return Number(field.readBigUInt64BE(4))
  const text = field.toString('latin1').replace(/[\0 ]+$/, '')
  if (!/^[0-7]{1,11}$/.test(text)) throw new TarError('The backup has a file without a size.')
  return Number.parseInt(text, 8)
}

/** Reads an archive that `tarHeader` began. Throws TarError if it was cut or is not one. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const reader = bytesOf(source)
  for (;;) {
    const header = await reader.exactly(block)
    if (header.equals(tarEnd.subarray(0, block))) break
    const stored = Number.parseInt(header.toString('latin1', 148, 154), 8)
    const sum = header.fill(' ', 148, 156).reduce((total, byte) => total + byte, 0)
    if (stored !== sum || header.toString('latin1', 257, 262) !== 'ustar')
      throw new TarError('The backup was damaged, or is not a backup.')
    const textAt = (start: number, length: number) =>
      header.toString('latin1', start, start + length).replace(/\0.*$/s, '')
    const prefix = textAt(345, 155)
    const size = readSize(header.subarray(124, 136))
    let left = size
    const content = (async function* () {
      while (left > 0) {
        const piece = await reader.some(left)
        left -= piece.length
        yield piece
      }
    })()
    yield { name: prefix === '' ? textAt(0, 100) : `${prefix}/${textAt(0, 100)}`, size, content }
    while (left > 0) left -= (await reader.some(left)).length
    await reader.exactly(tarPadding(size).length)
  }
  await reader.exactly(block)
  // Reads to the end, so that the source is decrypted and checked to its last byte.
  if (!(await reader.atEnd())) throw new TarError('The backup has bytes after its end.')
}

function bytesOf(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await pieces.next()
      if (next.done) return false
      rest = Buffer.from(next.value)
    }
    return true
  }
  const some = async (most: number): Promise<Buffer> => {
    if (!(await fill())) throw new TarError('The backup ends early.')
    const piece = rest.subarray(0, most)
    rest = rest.subarray(piece.length)
    return piece
  }
  return {
    /** The next bytes: at least one, at most `most`. */
    some,
    atEnd: async (): Promise<boolean> => !(await fill()),
    async exactly(length: number): Promise<Buffer> {
      const parts: Buffer[] = []
      for (let left = length; left > 0; ) {
        const piece = await some(left)
        parts.push(piece)
        left -= piece.length
      }
      return Buffer.concat(parts)
    },
  }
}
