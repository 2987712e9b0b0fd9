import { ApiError } from '#lib/errors.ts'

/** Reads at most `limit` bytes of the body; more is 413, whatever Content-Length claims. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
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

/** A JSON body. 415 for another content type, 400 for what is not JSON. */
export async function readJson(request: Request, limit = 1024 * 1024): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\b/i.test(type))
    throw new ApiError('unsupported_media_type', 'Send the body as application/json.')
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    return JSON.parse(text.decode(await readBody(request, limit)))
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('bad_request', 'The body is not valid JSON.', { cause })
  }
}
