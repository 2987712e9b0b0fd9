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

// Owned by this module: the responses that may be compressed.
const permitted = new WeakSet<Response>()

/**
 * Permits the compression of a response. Every other one is sent as it is: the length of a compressed body tells which of its
 * parts are equal, so one with a secret next to a text of someone else would reveal the secret bit by bit.
 */
export function mayBeCompressed(response: Response): Response {
  permitted.add(response)
  response.headers.append('vary', 'accept-encoding')
  return response
}

/**
 * The response as the client gets it: compressed if that is permitted, the client accepts a coding, and it is worth it. Streams,
 * ranges, errors and bodies that have a coding are returned as they are.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  if (!permitted.has(response) || !isWhole(response)) return response
  const accepted = request.headers.get('accept-encoding') ?? undefined
  const coding = codings.find(({ name }) => accepts(accepted, name))
  if (coding === undefined) return response
  const { status, headers } = response
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length <= shortestBytes) return new Response(body, { status, headers })
  headers.set('content-encoding', coding.name)
  // That of the uncompressed body. The server adds the right one.
  headers.delete('content-length')
  return new Response(await coding.encode(body), { status, headers })
}

function isWhole({ status, headers, body }: Response): boolean {
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  const others = ['content-encoding', 'content-range', 'transfer-encoding']
  return status === 200 && isJson && body !== null && others.every((name) => !headers.has(name))
}
