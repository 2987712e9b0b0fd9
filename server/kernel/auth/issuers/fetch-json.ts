import { whyPortBlocked } from '#lib/text/blocked-port.ts'
import { isSafeToFetch } from '#server/kernel/config.ts'
import { fetchLimited } from '#server/kernel/net/fetch-limited.ts'

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
    const headers = { accept: 'application/json, application/jwk-set+json' }
    const response = await fetchLimited(url, { headers }, { wholeMs: patience, maxBytes })
    const refuse = async (why: string) => {
      await response.body?.cancel()
      return new FetchError(`${url} ${why}`, { status: response.status })
    }
    if (response.status !== 200) throw await refuse(`responded with ${response.status}`)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json' && type !== 'application/jwk-set+json')
      throw await refuse(`responded with the content type ${type ?? '(none)'}`)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer()))
  } catch (cause) {
    if (cause instanceof FetchError) throw cause
    throw new FetchError(`${url} could not be read`, { cause })
  }
}
