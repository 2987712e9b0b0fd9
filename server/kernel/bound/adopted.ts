import { ApiError } from '#lib/errors.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import type { Database } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { rightEnd } from './adoption-end.ts'
import { hasLease, type Lease } from './adoption-lease.ts'
import { type Recalled, recallAdoption, recallLaterAdoption } from './adoption-memory.ts'
import { findAdoption, findLaterAdoption, isAdoptionLogged } from './adoption-store.ts'
import { type BoundType, laterTypes } from './types.ts'

/**
 * `ended`: all of the tenant's rows from before this version are bound, so an unbound row, or one that differs from its
 * state, is tampering. `open`: a process of an older version may have written it. `unknown`: this process can't tell, because
 * it does not have the signer's memory, and no worker has confirmed in the last minute that the adoption is open.
 */
export type Adoption = 'ended' | 'open' | 'unknown'

type Known = { ended: Set<string>; laterEnded: Set<string>; recalled: Map<string, { at: number; recalled: Recalled }> }

// Owned by this module: tenants whose adoption this process has seen ended, which never begins again; and what the memory
// answered for the others. Monotonic times in milliseconds.
const seen = new WeakMap<Database, Known>()
const askedEveryMs = 5_000

/**
 * The state of the tenant's adoption. Any trace of the end counts: the row, the record in the log, and the signer's memory,
 * which is outside the database. Deleting some of them, or all that SQL reaches, does not switch the checks off.
 */
export async function adoptionOf(tx: Transaction, tenantId: string): Promise<Adoption> {
  const { ended } = knownOf()
  if (ended.has(tenantId)) return 'ended'
  const [row, logged] = await Promise.all([findAdoption(tx, tenantId), isAdoptionLogged(tx, tenantId)])
  const adoption = row !== undefined || logged ? 'ended' : await withoutTrace(tx, tenantId, 'all')
  if (adoption === 'ended') ended.add(tenantId)
  return adoption
}

/** The same for one type. Types that a later version binds are adopted after the others. */
export async function adoptionOfType(tx: Transaction, tenantId: string, { later }: BoundType): Promise<Adoption> {
  const adoption = await adoptionOf(tx, tenantId)
  return later !== true || adoption !== 'ended' ? adoption : await laterAdoptionOf(tx, tenantId)
}

/** The adoptions of a tenant that this process knows to have ended: of all types, and of those that a later version binds. */
export type KnownEnds = { all: boolean; later: boolean }

/** Asked before objects are read that are checked afterwards. An adoption that has ended never begins again. */
export const knownEnds = (tenantId: string): KnownEnds => ({
  all: knownOf().ended.has(tenantId),
  later: knownOf().laterEnded.has(tenantId),
})

/** The adoption of the types that a later version binds, of a tenant whose other rows are bound. */
async function laterAdoptionOf(tx: Transaction, tenantId: string): Promise<Adoption> {
  const { laterEnded } = knownOf()
  if (laterEnded.has(tenantId)) return 'ended'
  const logged = (await findLaterAdoption(tx, tenantId, laterTypes)) !== undefined
  const adoption = logged ? 'ended' : await withoutTrace(tx, tenantId, 'later')
  if (adoption === 'ended') laterEnded.add(tenantId)
  return adoption
}

/** Whether the rows of all types are bound, the later ones too. */
export const isLaterBound = async (tx: Transaction, tenantId: string): Promise<boolean> =>
  (await adoptionOf(tx, tenantId)) === 'ended' && (await laterAdoptionOf(tx, tenantId)) === 'ended'

async function withoutTrace(tx: Transaction, tenantId: string, which: Lease): Promise<Adoption> {
  const recalled = await recallRecently(tx, tenantId, which)
  if (recalled === 'ended') return 'ended'
  if (recalled === 'no memory') return (await hasLease(tx, tenantId, which)) ? 'open' : 'unknown'
  return 'open'
}

/** While the adoption is open, an answer counts for a few seconds: the memory may be in a store of another machine. */
async function recallRecently(tx: Transaction, tenantId: string, which: Lease): Promise<Recalled> {
  const { recalled } = knownOf()
  const key = `${which} ${tenantId}`
  const known = recalled.get(key)
  if (known !== undefined && performance.now() - known.at < askedEveryMs) return known.recalled
  const at = performance.now()
  const answer = await (which === 'all' ? recallAdoption : recallLaterAdoption)(tx, tenantId)
  recalled.set(key, { at, recalled: answer })
  return answer
}

/**
 * When the tenant's adoption ended; undefined before. Now, if the row with its time was deleted: then no row is certain to be
 * newer than it. Throws "unavailable" while this process can't tell.
 */
export async function boundSince(tx: Transaction, tenantId: string): Promise<Date | undefined> {
  const adoption = await adoptionOf(tx, tenantId)
  if (adoption === 'unknown')
    throw new ApiError('unavailable', 'Whether all rows are bound to the log is unknown until a worker has started.')
  return adoption === 'ended' ? ((await findAdoption(tx, tenantId))?.endedAt ?? new Date()) : undefined
}

/**
 * The same for the types that a later version binds, in the transaction's snapshot. `before`: whether all were bound before it,
 * which the signer's memory knows, too, if the record was deleted.
 */
export async function laterBoundSince(tx: Transaction, tenantId: string, before: boolean): Promise<Date | undefined> {
  if ((await boundSince(tx, tenantId)) === undefined) return undefined
  return (await findLaterAdoption(tx, tenantId, laterTypes)) ?? (before ? new Date() : undefined)
}

/**
 * Why the tenant's adoption row is not the one that this installation wrote; undefined if it is, and while the adoption has
 * not ended.
 */
export async function whyAdoptionTampered(tx: Transaction, tenantId: string): Promise<string | undefined> {
  if ((await adoptionOf(tx, tenantId)) !== 'ended') return undefined
  const row = await findAdoption(tx, tenantId)
  if (row === undefined) return 'The row that marks the end of the adoption was deleted.'
  return rightEnd(await tenantCipher(tx, tenantId), row)
    ? undefined
    : 'The row that marks the end of the adoption was changed.'
}

function knownOf(): Known {
  const { database } = runtime()
  const known = seen.get(database) ?? { ended: new Set(), laterEnded: new Set(), recalled: new Map() }
  seen.set(database, known)
  return known
}
