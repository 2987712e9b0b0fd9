import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { ClientMetadata, foreignClient, renews } from './client-metadata.ts'

/** Bytes, and milliseconds for the whole response. */
const maxBytes = 5 * 1024
const patience = 5000

/** Documents that failed a moment ago: the library asks twice for one request, and a page of errors may be reloaded. */
const failed = new LRUCache<string, Error>({ max: 1000, ttl: 5000 })

const DocumentId = z.object({ client_id: z.string() })

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
    const document: unknown = JSON.parse(await response.text())
    if (DocumentId.parse(document).client_id !== url) throw new Error('The client’s document names another client.')
    const metadata = ClientMetadata.parse(document)
    const { client_name: name, redirect_uris: redirectUris } = metadata
    const client = foreignClient({ clientId: url, name, redirectUris, renews: renews(metadata) })
    const { 'cache-control': cached } = Object.fromEntries(response.headers)
    return Response.json(client, { headers: cached === undefined ? {} : { 'cache-control': cached } })
  } finally {
    await outbound.close()
  }
}
