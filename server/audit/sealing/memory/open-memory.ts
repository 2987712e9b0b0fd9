import { NoteError, parseNote } from '#server/audit/notes/signed-note.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { leafHash } from '#server/audit/tree/merkle.ts'
import { provenLeaf, rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from '../log-name.ts'
import { LogRefused, MemoryRefused } from '../log-refused.ts'
import { hasSignedHeads, listSeals } from '../seal-store.ts'
import { findFirstRecord } from '../signer-store.ts'
import { whyNotOurs } from '../unkeyed-records.ts'
import { forgetEarlierHeads, readEarlierHeads } from './earlier-heads.ts'
import {
  keepMemory,
  newMemory,
  type OpenMemory,
  readMemory,
  type SignedHead,
  type SignerMemory,
} from './signer-memory.ts'

/**
 * Returns the signer's memory of a tenant. The first one is created for a tenant that was never signed, or from the heads
 * that an earlier version kept. The caller holds the lock of the tenant's signer. Throws MemoryRefused if the memory is missing
 * although the database has signed heads: then only `npm run tenant -- accept-log-head` continues.
 */
export async function openMemory(tx: Transaction, tenant: LogOwner): Promise<OpenMemory> {
  const stored = await readMemory(tx, tenant)
  const earlier = await readEarlierHeads(tenant.id)
  if (earlier.size > 0) return await takeOver(tx, tenant, stored, earlier)
  if (stored !== undefined) return stored
  if (await hasSignedHeads(tx, tenant.id))
    throw new MemoryRefused(
      'The signer’s memory is missing, but the database has signed checkpoints. If it is lost for good, run: npm run tenant -- accept-log-head <slug>',
    )
  return { memory: { ...newMemory(tenant.id), keyedFrom: await keyedFromFirst(tx, tenant) }, version: undefined }
}

/** A tenant whose first record has a mac was created by this version: all of its records must have one. */
async function keyedFromFirst(tx: Transaction, tenant: LogOwner): Promise<SignerMemory['keyedFrom']> {
  const first = await findFirstRecord(tx, tenant.id)
  if (first === undefined) return { date: '1970-01-01', seq: 0 }
  return (await whyNotOurs(tx, tenant, first)) === undefined ? { date: first.date, seq: 0 } : null
}

/** An earlier version signed after this memory was written, or before there was one. */
async function takeOver(
  tx: Transaction,
  tenant: LogOwner,
  stored: OpenMemory | undefined,
  earlier: ReadonlyMap<string, SignedHead>,
): Promise<OpenMemory> {
  const before = stored ?? { memory: newMemory(tenant.id), version: undefined }
  const { memory } = before
  const { [sealLog]: seals = memory.seals, ...days } = Object.fromEntries(earlier)
  const taken: Pick<SignerMemory, 'seals' | 'sealedThrough' | 'days' | 'keyedFrom'> = {
    // It wrote records and closed days without a mac, also after this version had begun to require them.
    keyedFrom: null,
    seals: newer(memory.seals, seals),
    sealedThrough: await sealedThrough(tx, tenant, newer(memory.seals, seals)),
    days: { ...memory.days },
  }
  for (const [date, head] of Object.entries(days)) taken.days[date] = newer(memory.days[date], head)
  for (const date of Object.keys(taken.days))
    if (taken.sealedThrough !== null && date <= taken.sealedThrough) delete taken.days[date]
  await keepMemory(tx, before, taken)
  const kept = await readMemory(tx, tenant)
  if (kept === undefined) throw new Error('unreachable: the memory was just written')
  await forgetEarlierHeads(tenant.id)
  return kept
}

function newer(known: SignedHead | undefined, other: SignedHead): SignedHead {
  if (known === undefined || known.size < other.size) return other
  if (known.size === other.size && known.root !== other.root)
    throw new LogRefused(`An earlier version signed another root for ${other.size} leaves.`)
  return known
}

/** The date of the last leaf of the seal log of that size. Throws LogRefused if the stored log does not have it. */
export async function sealedThrough(tx: Transaction, tenant: LogOwner, seals: SignedHead): Promise<string | null> {
  if (seals.size === 0) return null
  const log = { tenantId: tenant.id, name: sealLog }
  const root = await rootAt(tx, log, seals.size)
  const last = await provenLeaf(tx, log, seals.size - 1, seals.size)
  const [seal] = await listSeals(tx, tenant.id, seals.size - 1, seals.size)
  const same = root?.toString('hex') === seals.root && seal !== undefined
  if (!same || !last?.leafHash.equals(leafHash(Buffer.from(seal.entry))) || dateOfEntry(seal.entry) !== seal.date)
    throw new LogRefused(`The seal log no longer has the ${seals.size} days that were signed.`)
  return seal.date
}

/** The day that a leaf of the seal log names in its origin; undefined for any other text. */
export const dateOfEntry = (entry: string): string | undefined =>
  /^[^\s/]+(?:\/restored-[0-9a-f]{12})?\/t\/[^\s/]+\/audit\/(\d{4}-\d{2}-\d{2})\n/.exec(entry)?.[1]

/** The text of a day's checkpoint is its entry in the seal log. Returns undefined for a row whose note was changed to what is not one. */
export function entryOf(note: string): string | undefined {
  try {
    return parseNote(note).text
  } catch (error) {
    if (error instanceof NoteError) return undefined
    throw error
  }
}
