import type { IncomingMessage } from 'node:http'
import { runtime } from '#server/kernel/runtime.ts'

/** Whether another site's page sent the form, according to the browser. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  return headers.origin !== undefined && headers.origin !== new URL(runtime().config.authUrl).origin
}
