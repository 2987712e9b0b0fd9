import { noteReader, signCheckpoint } from '#server/audit/notes/checkpoint-note.ts'
import {
  findCheckpointOfSize,
  findDay,
  findLastSigned,
  findLeaves,
  insertCheckpoint,
  type LogOwner,
  lockDay,
  lockSealing,
  setDaySealed,
  today,
} from '#server/audit/store.ts'
import { storedLeaves, storedRoot } from '#server/audit/tree/stored-leaves.ts'
import { findTiles, findTreeSize, setTreeSize } from '#server/audit/tree/tile-store.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { extendTree, rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { LogRefused } from './log-refused.ts'
import { findSignedHead, keepSignedHead } from './signed-heads.ts'

/**
 * Signs the current records of the tenant's log of `date`, unless a checkpoint covers all of them; the last checkpoint of a
 * day that is over closes it. Reads only new records, and all of them once when it closes the day. A size has the same root
 * forever. Safe to repeat and to run in several processes concurrently. Throws LogRefused when records are missing, when the
 * last signed root can no longer be reached, or when this node has signed more than is stored.
 */
export async function signDay(tx: Transaction, tenant: LogOwner, date: string): Promise<void> {
  await lockSealing(tx, tenant.id, date)
  const over = date < (await today(tx))
  // A transaction that began before midnight may still append: the day is closed after it.
  const day = over ? await lockDay(tx, tenant.id, date) : await findDay(tx, tenant.id, date)
  if (day === undefined) return
  const treeSize = await findTreeSize(tx, tenant.id, date)
  const last = await findLastSigned(tx, tenant.id, date)
  if (treeSize > day.size)
    throw new LogRefused(`The log of ${date} has ${day.size} records, but its stored tree has ${treeSize}.`)
  const covered = last?.size === day.size && treeSize === day.size
  if (covered && (day.sealedAt !== null || !over)) return

  const signed = await signedBefore(tx, tenant, date)
  for (const { size, by } of signed)
    if (day.size < size)
      throw new LogRefused(`The log of ${date} has ${day.size} records, but ${size} were signed according to ${by}.`)
  const root = await takeUp(tx, tenant, date, treeSize, day.size)
  for (const { size, root: before, by } of signed)
    if ((await rootAt(tx, { tenantId: tenant.id, name: date }, size))?.equals(before) !== true)
      throw new LogRefused(`The first ${size} records of ${date} no longer have the signed root according to ${by}.`)
  if (over && treeSize > 0 && !(await storedRoot(tx, tenant.id, date, day.size)).equals(root))
    throw new LogRefused(`The records of ${date} are not those that were signed during the day.`)
  if (last?.size !== day.size) await signSize(tx, tenant, date, day.size, root)
  await setTreeSize(tx, tenant.id, date, day.size)
  if (over) await setDaySealed(tx, tenant.id, date)
}

type Signed = { size: number; root: Buffer; by: string }

/** The heads that the stored log must extend: its last checkpoint, and the one that this node stores outside the database. */
async function signedBefore(tx: Transaction, tenant: LogOwner, date: string): Promise<Signed[]> {
  const found: Signed[] = []
  const last = await findLastSigned(tx, tenant.id, date)
  if (last !== undefined) {
    const note = (await noteReader(tx, tenant))(date, last.note)
    if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} records of ${date}: ${note.reason}`)
    const { size, root } = note.checkpoint
    if (size !== last.size || !last.root.equals(root))
      throw new LogRefused(`The checkpoint of ${last.size} records of ${date} does not match its row.`)
    found.push({ size, root: last.root, by: 'the last checkpoint' })
  }
  const head = await findSignedHead(tenant, date)
  if (head !== undefined) found.push({ ...head, by: 'this node’s own record outside the database' })
  return found
}

/** Adds the new records to the tree. The tile that is not full yet is compared with its records again. */
async function takeUp(tx: Transaction, tenant: LogOwner, date: string, from: number, to: number): Promise<Buffer> {
  const log = { tenantId: tenant.id, name: date }
  const start = from - (from % tileWidth)
  if (from > start) {
    const [edge] = await findTiles(tx, tenant.id, date, [{ level: 0, tile: start / tileWidth }])
    const again = await findLeaves(tx, tenant.id, date, start, from)
    if (again === undefined || edge?.hashes.subarray(0, again.length).equals(again) !== true)
      throw new LogRefused(`The last of the first ${from} records of ${date} are not the signed ones.`)
  }
  const grown = await extendTree(tx, log, from, storedLeaves(tx, tenant.id, date, from, to))
  if (grown === undefined) throw new LogRefused(`The tree of ${date} cannot be continued from ${from} records.`)
  return grown.root
}

async function signSize(tx: Transaction, tenant: LogOwner, date: string, size: number, root: Buffer): Promise<void> {
  // Stored before the signature exists, so that after a crash the node signs this size only with this root.
  await keepSignedHead(tenant, date, { size, root })
  const note = await signCheckpoint(tx, tenant, { log: date, size, root })
  await insertCheckpoint(tx, { tenantId: tenant.id, date, size, root, note })
  notify(tx, 'seal', tenant.id)
  const kept = await findCheckpointOfSize(tx, tenant.id, date, size)
  if (kept === undefined || !kept.root.equals(root))
    throw new LogRefused(`A different root was signed for ${size} records of ${date}.`)
}
