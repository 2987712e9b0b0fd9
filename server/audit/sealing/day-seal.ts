import { emptyRoot, leafHash } from '#server/audit/tree/merkle.ts'
import { provenLeaf } from '#server/audit/tree/tree.ts'
import { cosignedNote } from '#server/audit/witnesses/cosigned.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from './log-name.ts'
import { findLatestSealCheckpoint, findSealOf } from './seal-store.ts'

/** The place of a closed day in the seal log, with the proof of its leaf in the last signed checkpoint. */
export type DaySeal = {
  index: number
  /** The text of the day's last checkpoint: the bytes that the leaf hashes. */
  entry: string
  size: number
  root: Buffer
  /** Undefined when the stored tree lacks a hash. */
  proof: Buffer[] | undefined
  /** The checkpoint of the seal log with the cosignatures that it has. */
  note: string
}

/** A signed head of the seal log, with the cosignatures that it has. */
export type SealsHead = { size: number; root: Buffer; note: string }

/** The head of a seal log that contains no day. */
export const noClosedDays: SealsHead = { size: 0, root: emptyRoot, note: '' }

/** Undefined for a day that is still open, or that the seal log does not contain yet: up to `head`, by default the last one. */
export async function daySeal(
  tx: Transaction,
  tenantId: string,
  date: string,
  head?: SealsHead,
): Promise<DaySeal | undefined> {
  const seal = await findSealOf(tx, tenantId, date)
  const last = head ?? (await lastHead(tx, tenantId))
  if (seal === undefined || last === undefined || seal.seq >= last.size) return undefined
  const found = await provenLeaf(tx, { tenantId, name: sealLog }, seal.seq, last.size)
  const whole = found?.leafHash.equals(leafHash(Buffer.from(seal.entry))) === true
  return {
    index: seal.seq,
    entry: seal.entry,
    size: last.size,
    root: last.root,
    proof: whole ? found.proof : undefined,
    note: last.note,
  }
}

async function lastHead(tx: Transaction, tenantId: string): Promise<SealsHead | undefined> {
  const last = await findLatestSealCheckpoint(tx, tenantId)
  return last && { size: last.size, root: last.root, note: await cosignedNote(tx, tenantId, last) }
}
