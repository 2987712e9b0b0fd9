import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { CommandError, UsageError } from '#server/command-line.ts'

const ageHeader = 'age-encryption.org/v1\n'
const gzipHeader = Buffer.of(0x1f, 0x8b)

/** Encrypts to age recipients (`age1…`). Throws UsageError for a text that is not one. */
export function encryptTo(recipients: readonly string[]): (source: Readable) => Promise<Readable> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new UsageError(`${JSON.stringify(recipient)} is not an age recipient (age1…). age-keygen prints one.`)
    }
  }
  return async (source) => Readable.from(piecesOf(await encrypter.encrypt(streamOf(source))), { objectMode: false })
}

/** The identities in a file that age-keygen wrote. Throws CommandError. */
export async function readIdentities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The identity ${file} can’t be read (${error.code}).`)
  })
  const found = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (found.length === 0 || !found.every((line) => /^AGE-SECRET-KEY-/.test(line)))
    throw new CommandError(`${file} does not contain an age identity (AGE-SECRET-KEY-1…).`)
  return found
}

/** Opens the archive in a backup. Throws CommandError for a file that is not a backup, or that the identities can't decrypt. */
export async function openBackup(file: string, identities: readonly string[]): Promise<Readable> {
  const start = await firstBytes(file)
  if (start.subarray(0, gzipHeader.length).equals(gzipHeader)) return gunzip(createReadStream(file))
  if (start.toString('latin1') !== ageHeader) throw new CommandError(`${file} is not a backup.`)
  if (identities.length === 0)
    throw new CommandError(`${file} is encrypted. Name the file with its age identity: --identity <file>.`)
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  const source = createReadStream(file)
  try {
    const decrypted = await decrypter.decrypt(streamOf(source))
    return gunzip(Readable.from(piecesOf(decrypted), { objectMode: false }))
  } catch (error) {
    source.destroy()
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${file} can’t be decrypted with this identity: ${reason}.`)
  }
}

/** The library has streams of the web; their types in Node and in the browser's library exclude each other. */
function streamOf(source: Readable): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next: IteratorResult<Uint8Array> = await pieces.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      source.destroy()
    },
  })
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function gunzip(source: Readable): Readable {
  const unzipped = createGunzip()
  // `pipe` does not pass on the error of a file that was cut or altered.
  source.on('error', (error) => unzipped.destroy(error))
  return source.pipe(unzipped)
}

async function firstBytes(file: string): Promise<Buffer> {
  try {
    const pieces: Buffer[] = []
    for await (const piece of createReadStream(file, { start: 0, end: ageHeader.length - 1 })) pieces.push(piece)
    return Buffer.concat(pieces)
  } catch (error) {
    throw new CommandError(`${file} can’t be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
