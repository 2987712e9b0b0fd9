import { isUtf8 } from 'node:buffer'
import { ApiError } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { scanJson } from './json-budget.ts'
import { wireLimits } from './limits.ts'

/**
 * Reads at most `limit` bytes of the body; more is 413, whatever Content-Length claims. Throws 400 if the caller leaves, or is
 * cut off because the body arrives too slowly.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > limit) throw tooLarge(limit)
  // HTTP holds a body to its declared length, so it can be read in one piece, at a tenth of the cost of a stream.
  if (declared !== null) {
    const whole = new Uint8Array(await request.arrayBuffer().catch(endedEarly))
    if (whole.byteLength > limit) throw tooLarge(limit)
    return whole
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks, size))
}

/** The body as it arrives. Throws 400 if it ends early. */
export async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const reader = request.body.getReader()
  try {
    for (let next = await reader.read().catch(endedEarly); !next.done; next = await reader.read().catch(endedEarly))
      yield next.value
  } finally {
    reader.releaseLock()
  }
}

function endedEarly(cause: unknown): never {
  throw new ApiError('bad_request', 'The body ended before it was complete.', { cause })
}

const tooLarge = (limit: number) => new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`)

/** JSON from bytes; throws 400 if they are not UTF-8 or not JSON, 413 for more values than one text may contain. */
export function parseJson(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(jsonText(bytes))
  } catch (error) {
    if (error instanceof ApiError) throw error
    // Without the cause: the parser's message quotes the body, which must not be logged.
    throw notJson()
  }
}

function jsonText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(buffer)) throw notJson()
  scanJson(buffer)
  return buffer.toString()
}

const notJson = () => new ApiError('bad_request', 'The body is not valid JSON.')

/** The text of a JSON body within the budget. Throws 415 for another content type or coding, 400 if it is not UTF-8. */
export async function readJsonText(request: Request): Promise<string> {
  return jsonText(await readJsonBytes(request))
}

/** A JSON body. Throws 415 for another content type or coding, 400 if it is not JSON. */
export async function readJson(request: Request): Promise<JsonValue> {
  return parseJson(await readJsonBytes(request))
}

async function readJsonBytes(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json *(;|$)/i.test(type))
    throw new ApiError('unsupported_media_type', 'Send the body as application/json.')
  refuseEncoded(request)
  return await readBody(request, wireLimits.json.bytes)
}

/**
 * Throws 415 for a body whose headers say that its bytes are not the text: compressed, or in another character set than UTF-8.
 * A program that heeds them, such as a proxy, would read something else in it.
 */
export function refuseEncoded({ headers }: Request): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers.get('content-type') ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && !textSets.includes(charset))
    throw new ApiError('unsupported_media_type', 'Send the body as UTF-8.')
}

/** UTF-8, also as many programs misspell it, and a part of it. */
const textSets = ['utf-8', 'utf8', 'us-ascii']
