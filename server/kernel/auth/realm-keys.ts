import type { KeyObject } from 'node:crypto'
import { type SigningKey, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findRealm } from './realm-store.ts'

/** A public key of a realm and the algorithm that the realm signs with. */
type RealmKey = { key: KeyObject; algorithm: SigningKey['algorithm'] }
/** The public keys of one realm, by key id. */
type RealmKeys = { tenantExternalId: string; keys: ReadonlyMap<string, RealmKey> }
type Entry = RealmKeys & { readAt: number; rereadAt: number }

/** A retired realm key is rejected after at most this long, in milliseconds. */
const maxAge = 60_000
/**
 * Unknown key ids cause at most one read in this time, in milliseconds, so that a stranger's tokens can't overload the
 * database.
 */
const rereadPause = 30_000
/** After this long, in milliseconds, every token of a retired key has expired: none lives longer than a day. */
const retirement = 24 * 3_600_000
const maxRealms = 256

// Owned by this module: a cache of the database's keys, in each process and each bundle.
const entries = new Map<string, Entry>()
const reading = new Map<string, Promise<RealmKeys | undefined>>()

/** The public key `keyId` of this server's realm `slug`, and the realm's tenant. */
export async function findRealmKey(
  slug: string,
  keyId: string,
): Promise<(RealmKey & { tenantExternalId: string }) | undefined> {
  const known = entries.get(slug)
  const now = Date.now()
  if (known === undefined || now - known.readAt >= maxAge) return pick(await read(slug, known?.rereadAt ?? 0), keyId)
  const found = pick(known, keyId)
  if (found !== undefined || now - known.rereadAt < rereadPause) return found
  known.rereadAt = now
  return pick(await read(slug, now), keyId)
}

function pick(realm: RealmKeys | undefined, keyId: string) {
  const key = realm?.keys.get(keyId)
  return realm === undefined || key === undefined ? undefined : { ...key, tenantExternalId: realm.tenantExternalId }
}

/** Reads once for all waiting callers. Unknown slugs are unlimited in number, so they are not cached. */
async function read(slug: string, rereadAt: number): Promise<RealmKeys | undefined> {
  const pending = reading.get(slug) ?? load(slug, entries.has(slug)).finally(() => reading.delete(slug))
  reading.set(slug, pending)
  const realm = await pending
  entries.delete(slug)
  if (realm === undefined) return undefined
  entries.set(slug, { ...realm, readAt: Date.now(), rereadAt })
  for (const oldest of entries.keys()) {
    if (entries.size <= maxRealms) break
    entries.delete(oldest)
  }
  return realm
}

const stillVerifies = ({ retiredAt }: SigningKey): boolean =>
  retiredAt === undefined || Date.now() - retiredAt.getTime() < retirement

/** `known`: read before. Any stranger's token can name another realm, so that is read once it is the caller's turn. */
async function load(slug: string, known: boolean): Promise<RealmKeys | undefined> {
  const { database } = runtime()
  const find = () => database.inDirectory((tx) => findRealm(tx, slug))
  const realm = await (known ? find() : lookUpForStranger('realms', find))
  if (realm === undefined) return undefined
  const keys = await database.inTenant(realm.tenantId, (tx) => signingKeys(tx, realm.tenantId, 'realm'))
  return {
    tenantExternalId: realm.externalId,
    keys: new Map(
      keys.filter(stillVerifies).map(({ id, publicKey, algorithm }) => [id, { key: publicKey, algorithm }]),
    ),
  }
}
