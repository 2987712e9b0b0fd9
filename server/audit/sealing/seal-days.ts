import { type NoteReader, noteReader, signCheckpoint } from '#server/audit/notes/checkpoint-note.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { emptyRoot, leafHash } from '#server/audit/tree/merkle.ts'
import { setTreeSize } from '#server/audit/tree/tile-store.ts'
import { tileWidth } from '#server/audit/tree/tiles.ts'
import { extendTree, rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { isClosedByUs } from './closed-day.ts'
import { sealLog } from './log-name.ts'
import { LogRefused, MemoryRefused } from './log-refused.ts'
import { entryOf, openMemory } from './memory/open-memory.ts'
import { keepMemory, type SignerMemory } from './memory/signer-memory.ts'
import {
  countSeals,
  type DayToSeal,
  findLatestSealCheckpoint,
  insertSealCheckpoint,
  insertSeals,
  listDaysToSeal,
  listSeals,
  type StoredSeal,
  type StoredSealCheckpoint,
} from './seal-store.ts'
import { lockSigner } from './signer-store.ts'

/**
 * Appends closed days to the tenant's seal log, each once and without a gap, and signs its new size. Each leaf is the text of
 * the day's last checkpoint, which is final once the day is closed, so that after a crash the next node appends the same
 * leaves. Before the first one, signs the empty log. Throws LogRefused if the stored rows differ from a signed checkpoint or from the signer's memory, and MemoryMoved
 * when another signer was faster.
 */
export async function sealClosedDays(tx: Transaction, tenant: LogOwner): Promise<void> {
  if (await olderProcesses(tx)) return
  if ((await listDaysToSeal(tx, tenant.id)).length === 0) return await beginSealLog(tx, tenant)
  await lockSigner(tx, tenant.id)
  const opened = await openMemory(tx, tenant)
  const { memory } = opened
  const read = await noteReader(tx, tenant)
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  checkLast(last, memory, read)
  const from = last?.size ?? 0
  await checkStored(tx, tenant, from)
  // Read again under the lock, because another process may have sealed them.
  const days = await nextDays(tx, tenant, from, memory)
  if (days.length === 0) return
  const seals: StoredSeal[] = []
  for (const [index, day] of days.entries()) {
    await checkClosed(tx, tenant, day, read, from + index < memory.seals.size ? undefined : memory)
    const entry = entryOf(day.note)
    if (entry === undefined) throw new LogRefused(`The checkpoint of ${day.date} is not a signed note.`)
    seals.push({ seq: from + index, date: day.date, entry })
  }
  const log = { tenantId: tenant.id, name: sealLog }
  const grown = await extendTree(tx, log, from, [Buffer.concat(seals.map((seal) => leafHash(Buffer.from(seal.entry))))])
  if (grown === undefined) throw new LogRefused(`The seal log cannot be continued from ${from} days.`)
  if (last !== undefined) await checkKnown(tx, tenant, grown.size, { size: last.size, root: last.root.toString('hex') })
  await checkKnown(tx, tenant, grown.size, memory.seals)
  await insertSeals(tx, tenant.id, seals)
  await setTreeSize(tx, tenant.id, sealLog, grown.size)
  // Remembered before the signature exists, so that after a crash the node signs this size only with this root.
  if (grown.size > memory.seals.size) {
    const sealedThrough = seals.at(-1)?.date ?? memory.sealedThrough
    const open = Object.entries(memory.days).filter(([date]) => sealedThrough === null || date > sealedThrough)
    await keepMemory(tx, opened, {
      seals: { size: grown.size, root: grown.root.toString('hex') },
      sealedThrough,
      days: Object.fromEntries(open),
    })
  }
  const note = await signCheckpoint(tx, tenant, { log: sealLog, ...grown })
  await insertSealCheckpoint(tx, { tenantId: tenant.id, ...grown, note })
}

/**
 * Signs the seal log while it is empty, so that monitors find it on the tenant's first day. An empty log has one root, which
 * every later one continues. Throws LogRefused if the signer remembers closed days.
 */
async function beginSealLog(tx: Transaction, tenant: LogOwner): Promise<void> {
  if ((await findLatestSealCheckpoint(tx, tenant.id)) !== undefined) return
  await lockSigner(tx, tenant.id)
  if ((await findLatestSealCheckpoint(tx, tenant.id)) !== undefined) return
  const opened = await openMemory(tx, tenant)
  const { size } = opened.memory.seals
  if (size > 0) throw new LogRefused(`The seal log does not have a checkpoint; the signer remembers ${size} days.`)
  if (opened.version === undefined) await keepMemory(tx, opened, {})
  const empty = { size: 0, root: emptyRoot }
  const note = await signCheckpoint(tx, tenant, { log: sealLog, ...empty })
  await insertSealCheckpoint(tx, { tenantId: tenant.id, ...empty, note })
}

function checkLast(last: StoredSealCheckpoint | undefined, memory: SignerMemory, read: NoteReader): void {
  if (last === undefined) return
  const note = read(sealLog, last.note)
  if (!note.ok) throw new LogRefused(`The checkpoint of ${last.size} sealed days: ${note.reason}`)
  if (note.checkpoint.size !== last.size || !last.root.equals(note.checkpoint.root))
    throw new LogRefused(`The checkpoint of ${last.size} sealed days does not match its row.`)
  if (last.size > memory.seals.size)
    throw new MemoryRefused(
      `The signer’s memory is older than the database: ${last.size} sealed days were signed, and it remembers ${memory.seals.size}.`,
    )
}

/** The closed days that follow the last entry of the seal log, up to the first one that is missing. */
async function nextDays(
  tx: Transaction,
  tenant: LogOwner,
  from: number,
  memory: SignerMemory,
): Promise<readonly DayToSeal[]> {
  const days = await listDaysToSeal(tx, tenant.id)
  const [before] = from === 0 ? [] : await listSeals(tx, tenant.id, from - 1, from)
  // After a crash, the memory has more days than the database: those are sealed again, with the same root.
  const through = from < memory.seals.size ? before?.date : (memory.sealedThrough ?? undefined)
  const again = days.find(({ date }) => through !== undefined && date <= through)
  if (again !== undefined)
    throw new LogRefused(`${again.date} was sealed already, but its entry in the seal log is missing or was moved.`)
  let expected = through === undefined ? days[0]?.date : dayAfter(through)
  const next: DayToSeal[] = []
  for (const day of days) {
    if (day.date !== expected) break
    next.push(day)
    expected = dayAfter(day.date)
  }
  return next
}

const dayAfter = (date: string): string => new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)

/** `memory`: undefined for a day whose entry is compared with the root that was signed. */
async function checkClosed(
  tx: Transaction,
  tenant: LogOwner,
  { date, note, root, size, sealedAt, mac }: DayToSeal,
  read: NoteReader,
  memory: SignerMemory | undefined,
): Promise<void> {
  const day = read(date, note)
  if (!day.ok) throw new LogRefused(`The last checkpoint of ${date}: ${day.reason}`)
  if (day.checkpoint.size !== size || !root.equals(day.checkpoint.root))
    throw new LogRefused(`The last checkpoint of ${date} does not match its row.`)
  if (memory === undefined) return
  const head = memory.days[date]
  if (head?.size !== size || head.root !== root.toString('hex'))
    throw new LogRefused(`The last checkpoint of ${date} is not the one that was signed last.`)
  const older = mac === null && (memory.keyedFrom === null || date < memory.keyedFrom.date)
  if (!older && !(await isClosedByUs(tx, { tenantId: tenant.id, date, size, root, sealedAt }, mac)))
    throw new LogRefused(`The row of ${date} states that the day is closed, but this service did not close it.`)
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
  known: SignerMemory['seals'],
): Promise<void> {
  if (known.size > size) throw new LogRefused(`The seal log would have ${size} days, but ${known.size} were signed.`)
  if ((await rootAt(tx, { tenantId: tenant.id, name: sealLog }, known.size))?.toString('hex') !== known.root)
    throw new LogRefused(`The first ${known.size} sealed days no longer have the signed root.`)
}
