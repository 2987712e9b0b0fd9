import { accessSync, constants, createWriteStream, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { Failed, systemReason, usageError } from './failure.ts'
import { textOf, type Values } from './flags.ts'
import type { Output } from './output.ts'
import { callServer, type Extra } from './request.ts'
import { mayRetry, patiently, pauseAfter } from './retry.ts'
import type { Session } from './session.ts'

export const outFlags = { out: { type: 'string' }, overwrite: { type: 'boolean' } } as const

/**
 * Where a download is stored. Called before anything is sent: it throws for a file that exists, which may be the only copy, and for a
 * folder that does not exist or can't be written.
 */
export function outOf(values: Values): string | undefined {
  const out = textOf(values, 'out')
  if (out === undefined) return undefined
  const folder = dirname(out)
  const found = foundAt(out)
  if (found?.isDirectory() === true) throw usageError(`--out: ${out} is a folder.`)
  if (found !== undefined && values.overwrite !== true)
    throw usageError(`--out: ${out} exists already. Add --overwrite to replace it.`)
  if (foundAt(`${out}.part`)?.isDirectory() === true)
    throw usageError(`--out: ${out}.part, where it arrives, is a folder.`)
  if (foundAt(folder)?.isDirectory() !== true) throw usageError(`--out: ${folder} is not a folder.`)
  try {
    // The part is written next to it.
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw usageError(`--out: ${folder} can’t be written: ${systemReason(error)}.`)
  }
  return out
}

/** Undefined for a path below a file, too. */
function foundAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw usageError(`--out: ${path} can’t be read: ${systemReason(error)}.`)
  }
}

/** What a content is and where it comes from, next to the part of it that has arrived. */
type Note = { from: string; etag: string }

/**
 * Downloads into `<out>.part`, and renames it when it is complete and `check` has accepted it. A lost connection is opened again
 * and continues, as does a later run for the same content: the server compares the entity tag, and sends everything if it differs.
 */
export async function download(
  session: Session,
  operation: CatalogOperation,
  input: JsonObject,
  {
    out,
    output,
    extra = {},
    bytes,
    check,
  }: { out: string; output: Output; extra?: Extra; bytes?: number; check?: (part: string) => Promise<void> },
): Promise<void> {
  const part = `${out}.part`
  const from = `${session.url} ${operation.name} ${JSON.stringify(input)}`
  for (let failures = 0; ; ) {
    const have = sizeOf(part)
    const etag = have > 0 ? noteAt(part, from) : undefined
    const range: Record<string, string> = etag === undefined ? {} : { range: `bytes=${have}-`, 'if-range': etag }
    const response = await patiently(() =>
      callServer(session, operation, input, { ...extra, headers: { ...extra.headers, ...range } }),
    ).catch((error: unknown) => {
      // All of it is there already, or it has become shorter.
      if (etag !== undefined && error instanceof Failed && error.details.httpStatus === 416) return undefined
      throw error
    })
    if (response === undefined) {
      rmSync(part, { force: true })
      continue
    }
    const start = startOf(response, have)
    // What arrived before must never be found with the entity tag of what arrives now.
    if (start === 0) rmSync(part, { force: true })
    note(part, from, response.headers.get('etag'))
    const lost = (await save(response, part, start)) ?? missing(sizeOf(part), bytes)
    if (lost === undefined) break
    failures = sizeOf(part) > have ? 1 : failures + 1
    const failure = new Failed('unreachable', `The download stopped at ${sizeOf(part)} bytes: ${lost}`, {
      code: 'unreachable',
    })
    if (!mayRetry(failure, failures)) throw failure
    output.error(`The connection was lost: ${lost}\n`)
    await pauseAfter(failure, failures)
  }
  rmSync(`${part}.json`, { force: true })
  await check?.(part)
  await rename(part, out)
}

/** Why a body that ended is not complete. A proxy may end one that it has lost. */
const missing = (have: number, bytes: number | undefined): string | undefined =>
  bytes !== undefined && have < bytes ? `the body ended before its ${bytes} bytes.` : undefined

/** Where a response begins. A server that sends another part than the one asked for can’t be continued with. */
function startOf(response: Response, have: number): number {
  if (response.status !== 206) return 0
  const start = Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? have)
  if (start !== have)
    throw new Failed('unreachable', `The server sent bytes from ${start}, not from ${have}.`, { code: 'unreadable' })
  return start
}

/** Writes a body. Returns why the connection was lost; undefined when the body is complete. Throws if it can’t be written. */
async function save(response: Response, path: string, start: number): Promise<string | undefined> {
  const file = createWriteStream(path, { flags: start > 0 ? 'a' : 'w' })
  let unwritable: Error | undefined
  file.once('error', (error) => {
    unwritable = error
  })
  const body = response.body as Parameters<typeof Readable.fromWeb>[0] | null
  try {
    await pipeline(body === null ? Readable.from([]) : Readable.fromWeb(body), file)
    return undefined
  } catch (error) {
    if (unwritable !== undefined && 'syscall' in unwritable)
      throw usageError(`${path} can’t be written: ${systemReason(unwritable)}.`)
    return error instanceof Error ? error.message : String(error)
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Remembers what the part belongs to. Without a strong entity tag, a later attempt begins again. */
function note(part: string, from: string, etag: string | null): void {
  rmSync(`${part}.json`, { force: true })
  if (etag === null || etag.startsWith('W/')) return
  try {
    writeFileSync(`${part}.json`, JSON.stringify({ from, etag } satisfies Note))
  } catch {
    // The part can't be written either, which is reported with its path.
  }
}

/** The entity tag of the part, if it belongs to this content. */
function noteAt(part: string, from: string): string | undefined {
  try {
    const found: JsonValue = JSON.parse(readFileSync(`${part}.json`, 'utf8'))
    return isJsonObject(found) && found.from === from && typeof found.etag === 'string' ? found.etag : undefined
  } catch {
    return undefined
  }
}

/** Writes content to the standard output. It can’t be continued there. */
export async function toOutput(response: Response): Promise<void> {
  if (response.body === null) return
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(body, process.stdout, { end: false })
}
