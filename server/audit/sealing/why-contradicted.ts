import { findDay, type LogOwner, type StoredCheckpoint } from '#server/audit/store.ts'
import { rootAt } from '#server/audit/tree/tree.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { isClosedByUs } from './closed-day.ts'
import { sealLog } from './log-name.ts'
import { LogRefused } from './log-refused.ts'
import { readEarlierHeads } from './memory/earlier-heads.ts'
import { dateOfEntry, entryOf } from './memory/open-memory.ts'
import { readMemory, type SignedHead, type SignerMemory } from './memory/signer-memory.ts'
import { findSealOf } from './seal-store.ts'

/**
 * Returns why the rows of a day, whose last checkpoint is given if it has one, contradict its entry in the seal log or what the signer
 * remembers outside the database; undefined when they agree. A few reads, whatever the size of the day. Without the memory,
 * as in a `web` process of another machine, the rows are compared with each other. While a process signs, rows and memory may
 * differ without any tampering: dayHead takes that into account.
 */
export async function whyContradicted(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  checkpoint: Pick<StoredCheckpoint, 'size' | 'root' | 'note'> | undefined,
): Promise<string | undefined> {
  try {
    const known = await knownMemory(tx, tenant)
    if (checkpoint === undefined) return await whyUnsigned(tx, tenant, date, known?.memory)
    return (
      (await whyNotSealed(tx, tenant, date, checkpoint, known)) ??
      (known && (await whyNotRemembered(tx, tenant, date, checkpoint, known)))
    )
  } catch (error) {
    if (error instanceof LogRefused) return error.message
    throw error
  }
}

/** A sealed day has a checkpoint. An open one may not be signed yet. */
async function whyUnsigned(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  memory: SignerMemory | undefined,
): Promise<string | undefined> {
  const through = memory?.sealedThrough
  const sealed = (through != null && date <= through) || (await findSealOf(tx, tenant.id, date)) !== undefined
  return sealed ? `${date} was sealed, but its last checkpoint is missing.` : undefined
}

/** Returns why the recurring check or the signer found the day or the seal log to be broken, as the signer remembers it. */
export async function whyFoundBroken(tx: Transaction, tenant: LogOwner, date: string): Promise<string | undefined> {
  const memory = (await knownMemory(tx, tenant).catch(unlessRefused))?.memory
  const found = memory?.broken[date] ?? memory?.broken[sealLog]
  return found === undefined ? undefined : `A check of the log failed: ${found}`
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof LogRefused)) throw error
}

/**
 * The signer's memory. A log only grows, so it must always begin with what the memory has. `complete`: false while an older
 * version, which signs without the memory, may have signed more.
 */
export type KnownMemory = { memory: SignerMemory; complete: boolean }

/** Returns undefined if this process does not have the memory. Throws LogRefused for a damaged one. */
export async function knownMemory(tx: Transaction, tenant: Pick<LogOwner, 'id'>): Promise<KnownMemory | undefined> {
  const opened = await readMemory(tx, tenant)
  if (opened === undefined) return undefined
  const complete = !(await olderProcesses(tx)) && (await readEarlierHeads(tenant.id)).size === 0
  return { memory: opened.memory, complete }
}

/** Compares the day with its entry in the seal log: one of them without the other, or with other content, was changed. */
async function whyNotSealed(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  { size, root, note }: Pick<StoredCheckpoint, 'size' | 'root' | 'note'>,
  known: KnownMemory | undefined,
): Promise<string | undefined> {
  const memory = known?.memory
  const day = await findDay(tx, tenant.id, date)
  const seal = await findSealOf(tx, tenant.id, date)
  if (day === undefined) return `The row of ${date} is missing.`
  if (seal === undefined)
    return memory?.sealedThrough != null && date <= memory.sealedThrough
      ? `${date} was sealed, but the seal log does not contain it.`
      : undefined
  if (dateOfEntry(seal.entry) !== date) return `The entry of ${date} in the seal log is that of another day.`
  if (entryOf(note) !== seal.entry) return `The last checkpoint of ${date} is not the sealed one.`
  if (day.sealedAt === null || day.size !== size) return `${date} was sealed, but its row states something else.`
  const older = day.mac === null && (known === undefined || mayLackMac(known, date))
  const { sealedAt, mac } = day
  if (!older && !(await isClosedByUs(tx, { tenantId: tenant.id, date, size, root, sealedAt }, mac)))
    return `The row of ${date} does not have the mac of a day that this service closed.`
  return undefined
}

/** Whether the day was closed before this version keyed the rows of closed days, or by an older one after that. */
function mayLackMac({ memory: { keyedFrom, sealedThrough }, complete }: KnownMemory, date: string): boolean {
  return keyedFrom === null || date < keyedFrom.date || (!complete && (sealedThrough === null || date > sealedThrough))
}

async function whyNotRemembered(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  { size, root }: Pick<StoredCheckpoint, 'size' | 'root'>,
  { memory: { seals, sealedThrough, days }, complete }: KnownMemory,
): Promise<string | undefined> {
  if ((await rootAt(tx, { tenantId: tenant.id, name: sealLog }, seals.size))?.toString('hex') !== seals.root)
    return `The seal log no longer begins with the ${seals.size} days that the signer remembers.`
  if (sealedThrough !== null && date <= sealedThrough) return undefined
  const head = days[date]
  if (head === undefined || head.size < size) {
    if (complete) return `The signer does not remember the checkpoint of ${date}.`
    return head === undefined ? undefined : await whyNotGrown(tx, tenant, date, head)
  }
  // A signer that died after it remembered this size has not stored the checkpoint yet.
  if (head.size > size) return await whyShorter(tx, tenant, date, head.size)
  return head.root === root.toString('hex') ? undefined : `The signer remembers another root of ${date}.`
}

async function whyNotGrown(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  { size, root }: SignedHead,
): Promise<string | undefined> {
  const same = (await rootAt(tx, { tenantId: tenant.id, name: date }, size))?.toString('hex') === root
  return same ? undefined : `${date} no longer begins with the ${size} records that the signer remembers.`
}

async function whyShorter(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  remembered: number,
): Promise<string | undefined> {
  const stored = (await findDay(tx, tenant.id, date))?.size ?? 0
  return stored < remembered ? `${date} has ${stored} records; the signer remembers ${remembered}.` : undefined
}
