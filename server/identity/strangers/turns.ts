import type { Client } from '#server/kernel/net/client-address.ts'
import { createGate, type Lane } from '#server/kernel/rate/turns.ts'

/** Known browsers, known places and strangers take turns; a one-time link or an operator has a queue of its own. */
export type Standing = 'browser' | 'place' | 'stranger' | 'link'

/**
 * Password hashes: two threads of the pool, because more would delay file access and name lookups, and one for
 * strangers, so that another caller finds a free one, and a crowd does not use every core.
 */
export const hashInTurn = createGate({ concurrent: 2, waiting: 200, most: { stranger: 1 } })

/** Realms take turns, then networks, then addresses, then attempts of one address. */
export const laneOf = (standing: Standing, tenantId: string, { network, group }: Client, attempt: string): Lane => [
  standing,
  tenantId,
  network,
  group,
  attempt,
]
