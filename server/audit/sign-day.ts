import type { Transaction } from '#server/kernel/db/database.ts'
import { noteReader, signCheckpoint } from './checkpoint-note.ts'
import { treeRoot } from './merkle.ts'
import {
  findCheckpointOfSize,
  findDay,
  findLatestCheckpoint,
  findLeaves,
  insertCheckpoint,
  type LogOwner,
  lockDay,
  lockSealing,
  type StoredCheckpoint,
  setDaySealed,
  today,
} from './store.ts'

/** The stored log contradicts what was signed before, or has lost records: nothing is signed over it. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused'
}

/**
 * Signs what the tenant's log of `date` holds now, unless a checkpoint covers all of it; a day that is over is closed with
 * its last one. One size has one root for ever. Safe to repeat and to run in several processes at once.
 * Throws LogRefused when records are missing or the root that was signed last can no longer be reached.
 */
export async function signDay(tx: Transaction, tenant: LogOwner, date: string): Promise<void> {
  await lockSealing(tx, tenant.id, date)
  const over = date < (await today(tx))
  // A transaction that began before midnight may still append: the day is closed after it.
  const day = over ? await lockDay(tx, tenant.id, date) : await findDay(tx, tenant.id, date)
  if (day === undefined || day.sealedAt !== null) return
  const last = await findLatestCheckpoint(tx, tenant.id, date)
  if (!over && last?.size === day.size) return
  const leaves = await wholeLog(tx, tenant, date, day.size)
  if (last !== undefined) await checkAgainst(tx, tenant, last, leaves)
  if (last === undefined || last.size < day.size) await signSize(tx, tenant, date, leaves)
  if (over) await setDaySealed(tx, tenant.id, date)
}

async function wholeLog(tx: Transaction, tenant: LogOwner, date: string, size: number): Promise<Buffer[]> {
  const leaves = await findLeaves(tx, tenant.id, date, size)
  if (leaves === undefined)
    throw new LogRefused(`The log of ${date} counts ${size} records, and not all of them are stored.`)
  return leaves
}

async function checkAgainst(tx: Transaction, tenant: LogOwner, last: StoredCheckpoint, leaves: Buffer[]) {
  if (leaves.length < last.size)
    throw new LogRefused(`The log of ${last.date} has ${leaves.length} records; ${last.size} were signed.`)
  const note = (await noteReader(tx, tenant))(last.date, last.note)
  if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} records of ${last.date}: ${note.reason}`)
  const signed = note.checkpoint
  if (signed.size !== last.size || !treeRoot(leaves.slice(0, last.size)).equals(signed.root))
    throw new LogRefused(`The first ${last.size} records of ${last.date} no longer have the root that was signed.`)
}

async function signSize(tx: Transaction, tenant: LogOwner, date: string, leaves: Buffer[]): Promise<void> {
  const size = leaves.length
  const root = treeRoot(leaves)
  const note = await signCheckpoint(tx, tenant, { date, size, root })
  await insertCheckpoint(tx, { tenantId: tenant.id, date, size, root, note })
  const kept = await findCheckpointOfSize(tx, tenant.id, date, size)
  if (kept === undefined || !kept.root.equals(root))
    throw new LogRefused(`Another root was signed for ${size} records of ${date}.`)
}
