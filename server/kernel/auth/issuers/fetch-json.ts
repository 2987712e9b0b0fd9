import { whyPortBlocked } from '#lib/text/blocked-port.ts'
import { isSafeToFetch } from '#server/kernel/config.ts'

/** Milliseconds for the whole response. */
const patience = 3000
const maxBytes = 256 * 1024

/** `status` is undefined without a response. */
export class FetchError extends Error {
  readonly status: number | undefined
  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status
  }
}

/**
 * A JSON document of an issuer, over https or from the loopback address. To prevent delays and redirection, every
 * irregularity is an error: no redirects, no other content type, at most 256 KiB in at most three seconds. Throws
 * FetchError.
 */
export async function fetchJson(url: string): Promise<unknown> {
  if (!isSafeToFetch(url)) throw new FetchError(`${url} is neither https nor on the loopback address`)
  const closed = whyPortBlocked(url)
  if (closed !== undefined) throw new FetchError(`${url} can’t be read. ${closed}`)
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
      headers: { accept: 'application/json, application/jwk-set+json' },
    })
    const refuse = async (why: string) => {
      await response.body?.cancel()
      return new FetchError(`${url} ${why}`, { status: response.status })
    }
    if (response.status !== 200) throw await refuse(`responded with ${response.status}`)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json' && type !== 'application/jwk-set+json')
      throw await refuse(`responded with the content type ${type ?? '(none)'}`)
    return JSON.parse(await readText(url, response))
  } catch (cause) {
    if (cause instanceof FetchError) throw cause
    throw new FetchError(`${url} could not be read`, { cause })
  }
}

async function readText(url: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the rest of the stream.
    if (size > maxBytes) throw new FetchError(`${url} responded with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks, size))
}
