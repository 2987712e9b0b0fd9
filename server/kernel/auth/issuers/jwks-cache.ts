import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { discoverJwks, fetchJwks, type IssuerKey, type IssuerKeys } from './jwks.ts'

/** Milliseconds. Keys are renewed in the background once they are this old … */
const renewAge = 30_000
/**
 * … and are no longer used once they are this old: a key that its issuer withdrew is rejected after at most this long.
 */
const maxAge = 60_000
/**
 * Unknown key ids cause at most two fetches in this time, so that a stranger's tokens can't make this server flood the
 * issuer. The renewals that are due anyway don't count.
 */
const unknownPause = 60_000
/** After a fetch, an id that it did not find is not looked for again for so long. */
const missingPause = 5000
/** Key ids that are remembered as missing, of each issuer. */
const maxMissing = 100
/** Pause after a failed fetch. */
const failurePause = 5000
const maxIssuers = 1000

type Source = { issuer: string; jwksUri?: string | undefined }
type Entry = {
  keys: IssuerKeys | undefined
  readAt: number
  triedAt: number
  failed: boolean
  fetching?: Promise<void>
  /** When the last fetches for unknown key ids began, the newest first. */
  unknownAt: number[]
  /** Key ids that the newest keys lack, and that were asked for or withdrawn before: their tokens are invalid, not early. */
  missing: Set<string>
}

// Owned by this module, in each process and each bundle: the keys that the issuers published last.
const entries = new Map<string, Entry>()

/**
 * The key `keyId` of an issuer; undefined if the issuer does not have it. Throws 'unavailable' if the issuer's keys
 * could not be loaded: an old key set is not used instead, because otherwise an attacker who blocks the issuer could
 * keep a withdrawn key valid. The same if it is too early to look for a key that may be new: a good token must not get
 * the answer of an invalid one because its issuer has just begun to sign with another key.
 */
export async function findIssuerKey(source: Source, keyId: string): Promise<IssuerKey | undefined> {
  const entry = entryOf(source.issuer)
  const renewed = ageOf(entry.readAt) >= maxAge
  if (renewed) await renew(entry, source)
  else if (ageOf(entry.readAt) >= renewAge && mayFetch(entry, failurePause)) void renew(entry, source)
  const found = keysIn(entry).get(keyId)
  if (found !== undefined) return found
  if (!renewed) {
    const joins = entry.fetching !== undefined
    if (joins || mayLookFor(keyId, entry)) {
      if (!joins) entry.unknownAt = [Date.now(), ...entry.unknownAt].slice(0, 2)
      await renew(entry, source)
      if (entry.failed) throw notLoaded()
    } else if (!entry.missing.has(keyId))
      throw new ApiError(
        'unavailable',
        'The key of the token was not among those of its issuer a moment ago. Try again in a moment.',
      )
  }
  const now = keysIn(entry).get(keyId)
  if (now === undefined && entry.missing.size < maxMissing) entry.missing.add(keyId)
  return now
}

const notLoaded = () =>
  new ApiError('unavailable', 'The keys of the token’s issuer could not be loaded. Try again in a moment.')

function keysIn({ keys, readAt }: Entry): IssuerKeys {
  if (keys === undefined || ageOf(readAt) >= maxAge) throw notLoaded()
  return keys
}

function mayLookFor(keyId: string, entry: Entry): boolean {
  const [, lastButOne = 0] = entry.unknownAt
  return ageOf(lastButOne) >= unknownPause && (!entry.missing.has(keyId) || mayFetch(entry, missingPause))
}

/** After the clock was set back, everything counts as old. */
const ageOf = (time: number): number => (Date.now() < time ? Number.POSITIVE_INFINITY : Date.now() - time)

const mayFetch = ({ triedAt }: Entry, pause: number): boolean => ageOf(triedAt) >= pause

const newEntry = (): Entry => ({
  keys: undefined,
  readAt: 0,
  triedAt: 0,
  failed: false,
  unknownAt: [],
  missing: new Set(),
})

function entryOf(issuer: string): Entry {
  const entry = entries.get(issuer) ?? newEntry()
  entries.delete(issuer)
  entries.set(issuer, entry)
  for (const oldest of entries.keys()) {
    if (entries.size <= maxIssuers) break
    entries.delete(oldest)
  }
  return entry
}

/** Fetches once for all waiting callers, and pauses after a failure. Never rejects: the entry contains the result. */
function renew(entry: Entry, source: Source): Promise<void> {
  if (entry.fetching === undefined && (!entry.failed || mayFetch(entry, failurePause)))
    entry.fetching = fetchInto(entry, source).finally(() => {
      delete entry.fetching
    })
  return entry.fetching ?? Promise.resolve()
}

async function fetchInto(entry: Entry, { issuer, jwksUri }: Source): Promise<void> {
  const startedAt = Date.now()
  entry.triedAt = startedAt
  try {
    const keys = await fetchJwks(jwksUri ?? (await discoverJwks(issuer)))
    // The withdrawn ones first: what strangers ask for must not displace them.
    const missing = [...(entry.keys?.keys() ?? []), ...entry.missing].filter((keyId) => !keys.has(keyId))
    entry.missing = new Set(missing.slice(0, maxMissing))
    entry.keys = keys
    entry.readAt = startedAt
    entry.failed = false
  } catch (error) {
    entry.failed = true
    runtime().log.warn({ err: error, issuer }, 'the keys of an issuer could not be fetched')
  }
}
