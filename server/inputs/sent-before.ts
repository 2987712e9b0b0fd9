import { LRUCache } from 'lru-cache'

/**
 * Owned by this module: the events that this process has accepted or found, by tenant and identity. The database decides whether an
 * event was sent before; this only tells which of the two to prepare for.
 */
const sent = new LRUCache<string, true>({ max: 10_000 })

const keyOf = (tenantId: string, identity: string): string => `${tenantId} ${identity}`

/** Whether this process expects the event to be a repeated one. */
export const wasSent = (tenantId: string, identity: string): boolean => sent.has(keyOf(tenantId, identity))

export function rememberSent(tenantId: string, identity: string): void {
  sent.set(keyOf(tenantId, identity), true)
}
