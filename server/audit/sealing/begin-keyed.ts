import { type LogOwner, listDaysToSign, lockDay } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcessesGone } from '#server/kernel/db/older-processes.ts'
import { openMemory } from './memory/open-memory.ts'
import { keepMemory } from './memory/signer-memory.ts'
import { findLastDay, lockSigner } from './signer-store.ts'

/**
 * Ends the time in which records without a mac are signed, once for each tenant that an earlier version created: from here
 * on the signer includes only records with the mac of this service. Waits until no process of an earlier version has been
 * connected for a minute, and everything that they wrote is signed. Throws LogRefused and MemoryMoved.
 */
export async function beginKeyed(
  tx: Transaction,
  tenant: LogOwner,
  olderGone: (tx: Transaction) => Promise<boolean> = olderProcessesGone,
): Promise<void> {
  if (!(await olderGone(tx))) return
  await lockSigner(tx, tenant.id)
  const opened = await openMemory(tx, tenant)
  if (opened.memory.keyedFrom !== null) return
  const last = await findLastDay(tx, tenant.id)
  if (last === undefined) return
  const waiting = await listDaysToSign(tx, tenant.id)
  if (waiting.some(({ date }) => date < last.date)) return
  // Appenders wait until commit: every later record has a later place.
  const day = await lockDay(tx, tenant.id, last.date)
  if (day !== undefined) await keepMemory(tx, opened, { keyedFrom: { date: day.date, seq: day.size } })
}
