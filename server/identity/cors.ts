import type { IncomingMessage } from 'node:http'
import { runtime } from '#server/kernel/runtime.ts'

/** Lets the console read responses when the provider has another origin; pages of other origins may not. */
export function corsHeaders({ headers }: IncomingMessage): Record<string, string> {
  const consoleOrigin = new URL(runtime().config.baseUrl).origin
  if (headers.origin !== consoleOrigin) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': consoleOrigin,
    'access-control-expose-headers': 'WWW-Authenticate, RateLimit, RateLimit-Policy, Retry-After',
  }
}
