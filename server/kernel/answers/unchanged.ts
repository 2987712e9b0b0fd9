import { hash } from 'node:crypto'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { mayBeCompressed } from './compress.ts'
import { isKnown } from './negotiation.ts'

/**
 * JSON that changes only with the version or the settings of the server. A client may store it, and asks whether it has changed
 * before each use, so the caller's credentials are still checked.
 */
export function lasting(output: unknown): Response {
  const body = JSON.stringify(output)
  // Weak: the compressed forms have the same ETag.
  const etag = `W/"${hash('sha256', body, 'base64url')}"`
  const headers = { 'content-type': 'application/json', 'cache-control': 'private, no-cache', etag }
  return mayBeCompressed(new Response(body, { headers }), body)
}

export const lastingWire: RouteWire = { headers: ['if-none-match'] }

/** 304 without a body if the client has the response already. Responses that no client may store are returned as they are. */
export async function unlessKnown({ method, headers: given }: Request, response: Response): Promise<Response> {
  const { status, headers } = response
  const etag = headers.get('etag')
  if (status !== 200 || etag === null || headers.get('cache-control') === 'no-store') return response
  if (!['GET', 'HEAD'].includes(method) || !isKnown(given.get('if-none-match') ?? undefined, etag)) return response
  await response.body?.cancel()
  headers.delete('content-type')
  return new Response(null, { status: 304, headers })
}
