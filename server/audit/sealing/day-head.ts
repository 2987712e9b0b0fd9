import { findLatestCheckpoint, type LogOwner, type StoredCheckpoint } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type DaySeal, daySeal } from './day-seal.ts'
import { entryOf } from './memory/open-memory.ts'
import { lockSigner } from './signer-store.ts'
import { whyContradicted } from './why-contradicted.ts'

/** A day's last checkpoint and its place in the seal log, or why the database contradicts what was signed. */
export type DayHead = {
  checkpoint: StoredCheckpoint | undefined
  seal: DaySeal | undefined
  contradicted: string | undefined
}

/**
 * Reads the signed head of a day as it was at one moment. `tx` must not have a snapshot. A signer may be at work: it writes
 * its memory before it commits, and it may commit between two of these reads. Both look like tampering, so that a contradiction
 * counts only if it is still there while no process signs.
 */
export async function dayHead(tx: Transaction, tenant: LogOwner, date: string): Promise<DayHead> {
  const head = await readHead(tx, tenant, date)
  if (head.contradicted === undefined) return head
  await lockSigner(tx, tenant.id)
  return await readHead(tx, tenant, date)
}

async function readHead(tx: Transaction, tenant: LogOwner, date: string): Promise<DayHead> {
  const checkpoint = await findLatestCheckpoint(tx, tenant.id, date)
  const contradicted = await whyContradicted(tx, tenant, date, checkpoint)
  const seal = await daySeal(tx, tenant.id, date)
  const moved = seal !== undefined && (checkpoint === undefined || entryOf(checkpoint.note) !== seal.entry)
  return {
    checkpoint,
    seal,
    contradicted: contradicted ?? (moved ? `The last checkpoint of ${date} is not the sealed one.` : undefined),
  }
}
