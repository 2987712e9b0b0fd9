import { LRUCache } from 'lru-cache'
import { lookUpForStranger, type OpenLookup } from '#server/kernel/rate/lookups.ts'

/**
 * Distinguishes credentials from what strangers send as credentials, before the request uses a connection that users need:
 * one that this process has not seen is looked up once it is the caller's turn.
 */
export type KnownCredentials = {
  /** Whether the credential was live when this process last read it. Throws OverloadError. */
  recognise(digest: Buffer): Promise<boolean>
  /** After a credential was refused, the next request with it waits like a stranger. */
  forget(digest: Buffer): void
}

/** `isLive` reads the database. Results decide only whose turn it is: each request still reads its credential. */
export function knownCredentials(lane: OpenLookup, isLive: (digest: Buffer) => Promise<boolean>): KnownCredentials {
  const known = new LRUCache<string, true>({ max: 10_000 })
  return {
    async recognise(digest) {
      const name = digest.toString('hex')
      if (known.has(name)) return true
      if (!(await lookUpForStranger(lane, () => isLive(digest)))) return false
      known.set(name, true)
      return true
    },
    forget(digest) {
      known.delete(digest.toString('hex'))
    },
  }
}
