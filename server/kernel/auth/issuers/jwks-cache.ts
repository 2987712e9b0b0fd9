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
 * An unknown key id causes at most one fetch in this time, so that a stranger's tokens can't make this server flood the
 * issuer.
 */
const unknownPause = 30_000
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
}

// Owned by this module, in each process and each bundle: the keys that the issuers published last.
const entries = new Map<string, Entry>()

/**
 * The key `keyId` of an issuer; undefined if the issuer does not have it. Throws 'unavailable' if the issuer's keys
 * could not be loaded: an old key set is not used instead, because otherwise an attacker who blocks the issuer could
 * keep a withdrawn key valid.
 */
export async function findIssuerKey(source: Source, keyId: string): Promise<IssuerKey | undefined> {
  const entry = entryOf(source.issuer)
  if (ageOf(entry.readAt) >= maxAge) await renew(entry, source)
  else if (ageOf(entry.readAt) >= renewAge && mayFetch(entry, failurePause)) void renew(entry, source)
  const keys = ageOf(entry.readAt) < maxAge ? entry.keys : undefined
  if (keys === undefined)
    throw new ApiError('unavailable', 'The keys of the token’s issuer could not be loaded. Try again in a moment.')
  const found = keys.get(keyId)
  const mayHelp = entry.fetching !== undefined || mayFetch(entry, unknownPause)
  if (found !== undefined || !mayHelp) return found
  await renew(entry, source)
  return entry.keys?.get(keyId)
}

/** After the clock was set back, everything counts as old. */
const ageOf = (time: number): number => (Date.now() < time ? Number.POSITIVE_INFINITY : Date.now() - time)

const mayFetch = ({ triedAt }: Entry, pause: number): boolean => ageOf(triedAt) >= pause

function entryOf(issuer: string): Entry {
  const entry = entries.get(issuer) ?? { keys: undefined, readAt: 0, triedAt: 0, failed: false }
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
    entry.keys = await fetchJwks(jwksUri ?? (await discoverJwks(issuer)))
    entry.readAt = startedAt
    entry.failed = false
  } catch (error) {
    entry.failed = true
    runtime().log.warn({ err: error, issuer }, 'the keys of an issuer could not be fetched')
  }
}
