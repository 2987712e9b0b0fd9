import { randomUUID } from 'node:crypto'
import { isJsonObject } from '#lib/json.ts'

/** The part of a session id before the random one. */
const opening = 'opens-addresses-'

/** Whether the capabilities of a client say that it opens addresses for its person (URL elicitation). */
export const opensAddresses = (capabilities: unknown): boolean =>
  isJsonObject(capabilities) && isJsonObject(capabilities.elicitation) && isJsonObject(capabilities.elicitation.url)

/**
 * Revisions before 2026-07-28 say what a client can do only when it connects. The gateway keeps no session, so its id says it
 * again with each request: a client that changes the id changes only how it is asked. Undefined for a client that needs none.
 */
export function sessionFor(message: unknown): string | undefined {
  if (!isJsonObject(message) || message.method !== 'initialize' || !isJsonObject(message.params)) return undefined
  return opensAddresses(message.params.capabilities) ? `${opening}${randomUUID()}` : undefined
}

/** Whether a request is of a session of such a client. */
export const isOfOpeningSession = ({ headers }: Request): boolean =>
  headers.get('mcp-session-id')?.startsWith(opening) === true
