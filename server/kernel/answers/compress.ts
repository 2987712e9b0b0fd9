import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { accepts } from './negotiation.ts'

/** A shorter body is not worth the time: it fits into one packet either way. */
const shortestBytes = 1024

const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)
/** Missing before Node 22.15. */
const zstd = 'zstdCompress' in zlib ? promisify(zlib.zstdCompress) : undefined

type Coding = { name: string; encode(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> }

/** In the order of preference: zstd needs a quarter of brotli's time for nearly the same length. The encoders run in Node's threads. */
const codings: readonly Coding[] = [
  ...(zstd === undefined ? [] : [{ name: 'zstd', encode: async (body: Uint8Array) => await zstd(body) }]),
  {
    name: 'br',
    encode: (body) =>
      brotli(body, {
        params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length },
      }),
  },
  { name: 'gzip', encode: (body) => gzip(body, { level: 6 }) },
]

// Owned by this module: the responses that may be compressed, with their bodies where these are known.
const permitted = new WeakMap<Response, string | undefined>()

/**
 * Permits the compression of a response. Every other one is sent as it is: the length of a compressed body tells which of its
 * parts are equal, so one with a secret next to a text of someone else would reveal the secret bit by bit. `text` is its body, if
 * there is one at hand: reading it from the response takes longer than sending it.
 */
export function mayBeCompressed(response: Response, text?: string): Response {
  permitted.set(response, text)
  response.headers.append('vary', 'accept-encoding')
  return response
}

/**
 * The response as the client gets it: compressed if that is permitted, the client accepts a coding, and it is worth it. Streams,
 * ranges, errors and bodies that have a coding are returned as they are.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  if (!permitted.has(response)) return response
  const accepted = request.headers.get('accept-encoding') ?? undefined
  const coding = codings.find(({ name }) => accepts(accepted, name))
  const text = permitted.get(response)
  if (coding === undefined || !isWhole(response, text)) return response
  const { status, headers } = response
  const body = text === undefined ? new Uint8Array(await response.arrayBuffer()) : Buffer.from(text)
  if (body.length <= shortestBytes) return text === undefined ? new Response(body, { status, headers }) : response
  headers.set('content-encoding', coding.name)
  // That of the uncompressed body. The server adds the right one.
  headers.delete('content-length')
  return new Response(await coding.encode(body), { status, headers })
}

function isWhole(response: Response, text: string | undefined): boolean {
  const { status, headers } = response
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  const others = ['content-encoding', 'content-range', 'transfer-encoding']
  return status === 200 && isJson && others.every((name) => !headers.has(name)) && (text ?? response.body) !== null
}
