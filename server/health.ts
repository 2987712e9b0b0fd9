import type { IncomingMessage } from 'node:http'

/** What a process does while it answers no requests. */
export type Phase = 'starting' | 'migrating' | 'stopping'

/**
 * The answer to a health check in `phase`, or undefined for any other request. The process is live the whole time: a
 * supervisor that restarted it during a long migration would begin that migration again.
 */
export function healthDuring(phase: Phase, { url = '', method }: IncomingMessage) {
  const [path] = url.split('?', 1)
  const isReadiness = path === '/v1/health/ready'
  if ((path !== '/v1/health/live' && !isReadiness) || (method !== 'GET' && method !== 'HEAD')) return undefined
  const body = JSON.stringify({ status: isReadiness ? phase : 'live' })
  return {
    status: isReadiness ? 503 : 200,
    headers: {
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(body)),
      ...(isReadiness ? { 'retry-after': '1' } : {}),
    },
    body: method === 'HEAD' ? undefined : body,
  }
}
