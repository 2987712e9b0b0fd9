import type { IncomingMessage } from 'node:http'
import { runtime } from '#server/kernel/runtime.ts'

/** Whether a form was sent by another site's page, as the browser tells it. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  return headers.origin !== undefined && headers.origin !== new URL(runtime().config.authUrl).origin
}
