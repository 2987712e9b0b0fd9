import { type NoteReader, noteReader, signCheckpoint } from '#server/audit/notes/checkpoint-note.ts'
import {
  findCheckpointOfSize,
  findDay,
  findLastSigned,
  findLeaves,
  insertCheckpoint,
  type LogOwner,
  lockDay,
  type StoredCheckpoint,
  today,
} from '#server/audit/store.ts'
import { storedLeaves, storedRoot } from '#server/audit/tree/stored-leaves.ts'
import { findTiles, findTreeSize, setTreeSize } from '#server/audit/tree/tile-store.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { extendTree, rootAt } from '#server/audit/tree/tree.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { closedDayMac } from './closed-day.ts'
import { LogRefused, MemoryRefused } from './log-refused.ts'
import { openMemory } from './memory/open-memory.ts'
import { keepMemory, type OpenMemory, type SignedHead } from './memory/signer-memory.ts'
import { lockSigner, setDaySealed } from './signer-store.ts'
import { checkNewRecords } from './unkeyed-records.ts'

/**
 * Signs the current records of the tenant's log of `date`, unless a checkpoint covers all of them; the last checkpoint of a
 * day that is over closes it. Reads only new records, and all of them once when it closes the day. A size has the same root
 * forever, and a day in the seal log is never signed again. Safe to repeat and to run in several processes concurrently.
 * Does nothing while an older version signs. Throws LogRefused when the rows contradict what was signed or a record was not
 * written by this service, and MemoryMoved when another signer was faster.
 */
export async function signDay(tx: Transaction, tenant: LogOwner, date: string): Promise<void> {
  if (await olderProcesses(tx)) return
  // In one write. All of it is read after the lock has been taken; so is the signer's memory, because its name is.
  const [, opened, now, current, treeSize, last, read] = await inOneWrite(tx, [
    () => lockSigner(tx, tenant.id),
    () => openMemory(tx, tenant),
    () => today(tx),
    () => findDay(tx, tenant.id, date),
    () => findTreeSize(tx, tenant.id, date),
    () => findLastSigned(tx, tenant.id, date),
    () => noteReader(tx, tenant),
  ])
  const { days, sealedThrough, keyedFrom } = opened.memory
  const over = date < now
  // A transaction that began before midnight may still append: the day is closed after it.
  const day = over ? await lockDay(tx, tenant.id, date) : current
  const sealed = sealedThrough !== null && date <= sealedThrough
  const head = days[date]
  if (day === undefined && !sealed && head === undefined) return
  if (day === undefined) throw new LogRefused(`The log of ${date} was signed, but its row is missing.`)
  const covered = last?.size === day.size && treeSize === day.size
  if (covered && (day.sealedAt !== null || !(over || sealed))) return
  if (sealed) throw new LogRefused(`The log of ${date} is sealed, but its stored rows are not those of a sealed day.`)
  if (treeSize > day.size)
    throw new LogRefused(`The log of ${date} has ${day.size} records, but its stored tree has ${treeSize}.`)

  const signed = signedBefore(read, date, last, head)
  if (treeSize > (head?.size ?? 0))
    throw new LogRefused(`The stored tree of ${date} has ${treeSize} records; ${head?.size ?? 0} were signed.`)
  for (const { size, by } of signed)
    if (day.size < size)
      throw new LogRefused(`The log of ${date} has ${day.size} records, but ${size} were signed according to ${by}.`)
  await checkNewRecords(tx, tenant, date, { from: head?.size ?? 0, to: day.size, keyedFrom })
  const root = await takeUp(tx, tenant, date, treeSize, day.size)
  for (const { size, root: before, by } of signed)
    if ((await rootAt(tx, { tenantId: tenant.id, name: date }, size))?.toString('hex') !== before)
      throw new LogRefused(`The first ${size} records of ${date} no longer have the signed root according to ${by}.`)
  if (over && treeSize > 0 && !(await storedRoot(tx, tenant.id, date, day.size)).equals(root))
    throw new LogRefused(`The records of ${date} are not those that were signed during the day.`)
  if (last?.size !== day.size) await signSize(tx, tenant, date, opened, { size: day.size, root })
  await setTreeSize(tx, tenant.id, date, day.size)
  if (over) await closeDay(tx, { tenantId: tenant.id, date, size: day.size, root })
}

type Signed = SignedHead & { by: string }

/** The heads that the stored log must extend: its last checkpoint, and the one in the signer's memory. */
function signedBefore(
  read: NoteReader,
  date: string,
  last: StoredCheckpoint | undefined,
  head: SignedHead | undefined,
): Signed[] {
  const found: Signed[] = head === undefined ? [] : [{ ...head, by: 'the signer’s memory' }]
  if (last === undefined) return found
  const note = read(date, last.note)
  if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} records of ${date}: ${note.reason}`)
  const { size, root } = note.checkpoint
  if (size !== last.size || !last.root.equals(root))
    throw new LogRefused(`The checkpoint of ${last.size} records of ${date} does not match its row.`)
  if (size > (head?.size ?? -1))
    throw new MemoryRefused(
      `The signer’s memory is older than the database: ${size} records of ${date} were signed, and it remembers ${head?.size ?? 'none'}.`,
    )
  return [...found, { size, root: last.root.toString('hex'), by: 'the last checkpoint' }]
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

async function signSize(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  opened: OpenMemory,
  { size, root }: { size: number; root: Buffer },
): Promise<void> {
  // Remembered before the signature exists, so that after a crash the node signs this size only with this root.
  const head = { size, root: root.toString('hex') }
  if (opened.memory.days[date]?.size !== size)
    await keepMemory(tx, opened, { days: { ...opened.memory.days, [date]: head } })
  const note = await signCheckpoint(tx, tenant, { log: date, size, root })
  await insertCheckpoint(tx, { tenantId: tenant.id, date, size, root, note })
  notify(tx, 'seal', tenant.id)
  const kept = await findCheckpointOfSize(tx, tenant.id, date, size)
  if (kept === undefined || !kept.root.equals(root))
    throw new LogRefused(`A different root was signed for ${size} records of ${date}.`)
}

async function closeDay(
  tx: Transaction,
  day: { tenantId: string; date: string; size: number; root: Buffer },
): Promise<void> {
  const closed = { ...day, sealedAt: (await databaseClock(tx))() }
  await setDaySealed(tx, { ...closed, mac: await closedDayMac(tx, closed) })
}
