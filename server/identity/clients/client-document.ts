import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Bytes, and milliseconds for the whole response. */
const maxBytes = 5 * 1024
const patience = 5000

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

const RedirectUri = z
  .string()
  .max(2000)
  .refine((text) => {
    const url = URL.parse(text)
    if (url === null || url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '')
      return false
    return url.protocol === 'https:'
      ? !loopback.has(url.hostname)
      : url.protocol === 'http:' && loopback.has(url.hostname)
  }, 'A redirect must be an https address, or http at a loopback address.')

/** Documents that failed a moment ago: the library asks twice for one request, and a page of errors may be reloaded. */
const failed = new LRUCache<string, Error>({ max: 1000, ttl: 5000 })

/** What is read of a document; everything else in it has no effect here. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string().max(200).optional(),
  redirect_uris: z.array(RedirectUri).min(1).max(20),
  // A program on someone's computer can't keep a secret, so none is accepted.
  token_endpoint_auth_method: z.literal('none').default('none'),
  grant_types: z.array(z.string()).max(20).default(['authorization_code']),
  response_types: z.array(z.string()).max(20).default(['code']),
  client_secret: z.undefined().optional(),
})

/**
 * The metadata document of a client (Client ID Metadata Document), reduced to the members that count here, for the identity
 * provider's library. Over https, through the guard of outbound.ts, without redirects, at most 5 KiB in five seconds. Throws
 * for anything else.
 */
export async function fetchClientDocument(url: string): Promise<Response> {
  const before = failed.get(url)
  if (before !== undefined) throw before
  return await readDocument(url).catch((error: unknown) => {
    failed.set(url, error instanceof Error ? error : new Error(String(error)))
    throw error
  })
}

async function readDocument(url: string): Promise<Response> {
  if (new URL(url).protocol !== 'https:') throw new Error('A client’s document is read over https.')
  const outbound = openOutbound({ allowed: runtime().config.allowedPrivateHosts, maxBytes, idleMs: patience })
  try {
    const response = await outbound.fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(patience),
    })
    if (response.status !== 200) throw new Error(`The client’s document responded with ${response.status}.`)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
    if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type))
      throw new Error('The client’s document is not JSON.')
    const document = Document.parse(JSON.parse(await response.text()))
    if (document.client_id !== url) throw new Error('The client’s document names another client.')
    const { 'cache-control': cached } = Object.fromEntries(response.headers)
    return Response.json(clientOf(document), { headers: cached === undefined ? {} : { 'cache-control': cached } })
  } finally {
    await outbound.close()
  }
}

/** Native, so that any port of a loopback redirect is accepted (RFC 8252, section 7.3). */
function clientOf({ client_id, client_name, redirect_uris, grant_types, response_types }: z.infer<typeof Document>) {
  if (!grant_types.includes('authorization_code') || !response_types.includes('code'))
    throw new Error('The client does not use authorization codes.')
  return {
    client_id,
    ...(client_name === undefined ? {} : { client_name }),
    redirect_uris,
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', ...(grant_types.includes('refresh_token') ? ['refresh_token'] : [])],
    response_types: ['code'],
    response_modes: ['query'],
  }
}
