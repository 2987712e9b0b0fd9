import type { KeyObject } from 'node:crypto'
import { type SigningKey, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findRealm } from './realm-store.ts'

/** A public key of a realm and the one algorithm that the realm signs with it. */
type RealmKey = { key: KeyObject; algorithm: SigningKey['algorithm'] }
/** The public keys of one realm, by key id. */
type RealmKeys = { tenantExternalId: string; keys: ReadonlyMap<string, RealmKey> }
type Entry = RealmKeys & { readAt: number; rereadAt: number }

/** A retired realm key stops verifying after at most this long, in milliseconds. */
const maxAge = 60_000
/** Unknown key ids cause at most one read in this time, in milliseconds: a stranger's tokens can't load the database. */
const rereadPause = 30_000
/** No token of a retired key is still alive after this long, in milliseconds: none lives for more than a day. */
const retirement = 24 * 3_600_000
const maxRealms = 256

// Owned by this module; a copy of what the database says, in each process and each bundle.
const entries = new Map<string, Entry>()
const reading = new Map<string, Promise<RealmKeys | undefined>>()

/** The public key `keyId` of our own realm `slug`, and the tenant that the realm speaks for. */
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

/** Reads once for all who wait. A realm that does not exist is not remembered: such names are endless. */
async function read(slug: string, rereadAt: number): Promise<RealmKeys | undefined> {
  const pending = reading.get(slug) ?? load(slug).finally(() => reading.delete(slug))
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

async function load(slug: string): Promise<RealmKeys | undefined> {
  const { database } = runtime()
  const realm = await database.inDirectory((tx) => findRealm(tx, slug))
  if (realm === undefined) return undefined
  const keys = await database.inTenant(realm.tenantId, (tx) => signingKeys(tx, realm.tenantId, 'realm'))
  return {
    tenantExternalId: realm.externalId,
    keys: new Map(
      keys.filter(stillVerifies).map(({ id, publicKey, algorithm }) => [id, { key: publicKey, algorithm }]),
    ),
  }
}
