import { noteReader, signCheckpoint } from '#server/audit/notes/checkpoint-note.ts'
import { parseNote } from '#server/audit/notes/signed-note.ts'
import { type LogOwner, lockSealing } from '#server/audit/store.ts'
import { leafHash } from '#server/audit/tree/merkle.ts'
import { setTreeSize } from '#server/audit/tree/tile-store.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { extendTree, rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import {
  countSeals,
  findLatestSealCheckpoint,
  insertSealCheckpoint,
  insertSeals,
  listDaysToSeal,
  listSeals,
  type StoredSeal,
} from './seal-store.ts'
import { findSignedHead, forgetSignedHead, keepSignedHead, type SignedHead } from './signed-heads.ts'

/**
 * Appends closed days to the tenant's seal log, in order, and signs its new size. Each leaf is the text of the
 * day's last checkpoint, which is final once the day is closed, so that after a crash the next node appends the same leaves.
 * Throws LogRefused if the stored seal log differs from a signed checkpoint, or from what this node remembers.
 */
export async function sealClosedDays(tx: Transaction, tenant: LogOwner): Promise<void> {
  if ((await listDaysToSeal(tx, tenant.id)).length === 0) return
  await lockSealing(tx, tenant.id, sealLog)
  // Read again under the lock, because another process may have sealed them.
  const days = await listDaysToSeal(tx, tenant.id)
  if (days.length === 0) return
  const log = { tenantId: tenant.id, name: sealLog }
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  const from = last?.size ?? 0
  await checkStored(tx, tenant, from)
  const read = await noteReader(tx, tenant)
  if (last !== undefined) {
    const note = read(sealLog, last.note)
    if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} sealed days: ${note.reason}`)
    if (note.checkpoint.size !== last.size || !last.root.equals(note.checkpoint.root))
      throw new LogRefused(`The checkpoint of ${last.size} sealed days does not match its row.`)
  }
  const seals = days.map(({ date, note }, index): StoredSeal => {
    const day = read(date, note)
    if (!day.ok) throw new LogRefused(`The last checkpoint of ${date}: ${day.reason}`)
    return { seq: from + index, date, entry: parseNote(note).text }
  })
  const grown = await extendTree(tx, log, from, [Buffer.concat(seals.map((seal) => leafHash(Buffer.from(seal.entry))))])
  if (grown === undefined) throw new LogRefused(`The seal log cannot be continued from ${from} days.`)
  for (const known of [last, await findSignedHead(tenant, sealLog)]) await checkKnown(tx, tenant, grown.size, known)
  await insertSeals(tx, tenant.id, seals)
  await setTreeSize(tx, tenant.id, sealLog, grown.size)
  // Stored before the signature exists, so that after a crash the node signs this size only with this root.
  await keepSignedHead(tenant, sealLog, grown)
  const note = await signCheckpoint(tx, tenant, { log: sealLog, ...grown })
  await insertSealCheckpoint(tx, { tenantId: tenant.id, ...grown, note })
  for (const { date } of days) await forgetSignedHead(tenant, date)
}

/** Throws LogRefused unless the stored days are as many as the signed ones, and those of the last tile match its hashes. */
async function checkStored(tx: Transaction, tenant: LogOwner, signed: number): Promise<void> {
  const stored = await countSeals(tx, tenant.id)
  if (stored !== signed)
    throw new LogRefused(`The seal log has ${stored ?? 'gaps in its'} days; ${signed} were signed.`)
  const start = signed - (signed % tileWidth)
  const again = (await listSeals(tx, tenant.id, start, signed)).map((seal) => leafHash(Buffer.from(seal.entry)))
  const log = { tenantId: tenant.id, name: sealLog }
  const root = await rootAt(tx, log, signed)
  if (root === undefined || !(await extendTree(tx, log, start, again))?.root.equals(root))
    throw new LogRefused(`The last of ${signed} sealed days are not the signed ones.`)
}

async function checkKnown(
  tx: Transaction,
  tenant: LogOwner,
  size: number,
  known: SignedHead | undefined,
): Promise<void> {
  if (known === undefined) return
  if (known.size > size) throw new LogRefused(`The seal log would have ${size} days, but ${known.size} were signed.`)
  if ((await rootAt(tx, { tenantId: tenant.id, name: sealLog }, known.size))?.equals(known.root) !== true)
    throw new LogRefused(`The first ${known.size} sealed days no longer have the signed root.`)
}
