import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '#lib/errors.ts'
import { maxFileBytes } from '#lib/schemas/files.ts'
import { chunksOf } from '#server/kernel/body.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** One folder for each tenant: paths never contain text from a caller. */
const folderOf = (tenantId: string) => join(runtime().config.dataDir, 'files', tenantId)
const partPath = (tenantId: string, part: string) => join(folderOf(tenantId), `${part}.part`)
const contentPath = (tenantId: string, sha256: string) => join(folderOf(tenantId), sha256.slice(0, 2), sha256)

export type Received = { part: string; bytes: number; sha256: string }

/** Streams a body to disk and makes it durable under a temporary name. Throws 413 beyond 100 MiB. */
export async function receive(tenantId: string, request: Request): Promise<Received> {
  if (Number(request.headers.get('content-length') ?? 0) > maxFileBytes) throw tooLarge()
  const part = randomUUID()
  const path = partPath(tenantId, part)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  try {
    await pipeline(
      Readable.from(chunksOf(request)),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.byteLength
          if (bytes > maxFileBytes) throw tooLarge()
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    await discard(tenantId, part)
    throw error
  }
  return { part, bytes, sha256: hash.digest('hex') }
}

const tooLarge = () => new ApiError('payload_too_large', `A file can have at most ${maxFileBytes} bytes.`)

/** Moves received bytes to their final place, durably. The caller holds the digest's lock. */
export async function keep(tenantId: string, part: string, sha256: string): Promise<void> {
  const path = contentPath(tenantId, sha256)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await rename(partPath(tenantId, part), path)
  for (const folder of [dirname(path), folderOf(tenantId)]) await sync(folder)
}

export const discard = (tenantId: string, part: string): Promise<void> => rm(partPath(tenantId, part), { force: true })

/** Removes content that no row refers to any more. The caller holds the digest's lock. */
export const removeContent = (tenantId: string, sha256: string): Promise<void> =>
  rm(contentPath(tenantId, sha256), { force: true })

/** Removes parts of uploads that were never completed. */
export async function removeStaleParts(tenantId: string, olderThanMs: number): Promise<void> {
  const folder = folderOf(tenantId)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter((candidate) => candidate.endsWith('.part'))) {
    const { mtimeMs } = await stat(join(folder, name))
    if (mtimeMs < Date.now() - olderThanMs) await rm(join(folder, name), { force: true })
  }
}

/**
 * Characters at the end of one piece that are searched again with the next piece: longer than any subject in any
 * spelling.
 */
const overlap = 8_192

/** Whether the bytes, read as UTF-8, contain the subject. Removed content contains nothing. */
export async function contentHolds(
  tenantId: string,
  sha256: string,
  holds: (text: string) => boolean,
): Promise<boolean> {
  const decoder = new TextDecoder()
  let before = ''
  try {
    for await (const chunk of createReadStream(contentPath(tenantId, sha256)) as AsyncIterable<Buffer>) {
      const text = before + decoder.decode(chunk, { stream: true })
      if (holds(text)) return true
      before = text.slice(-overlap)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
  return false
}

/**
 * The content, for reading. Throws 503 if it is missing or incomplete on this machine, which the operator has to
 * investigate.
 */
export async function openContent(tenantId: string, sha256: string, bytes: number): Promise<FileHandle> {
  const missing = (cause: unknown) =>
    new ApiError('unavailable', 'The file is temporarily unavailable. Try again in a minute.', { cause })
  const file = await open(contentPath(tenantId, sha256), 'r').catch((cause: unknown) => {
    throw missing(cause)
  })
  const { size } = await file.stat()
  if (size === bytes) return file
  await file.close()
  throw missing(new Error(`The file ${sha256} has ${size} bytes instead of ${bytes}.`))
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
