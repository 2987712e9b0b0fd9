import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { waitExpiryQueue } from './expire-waits.ts'
import { setParked, setResumed } from './park-store.ts'

/** Pauses the deadlines of these executions' open waits. Events are still matched, and applied after the resume. */
export const parkWaits = setParked

export async function resumeWaits(tx: Transaction, tenantId: string, executionIds: readonly string[]): Promise<void> {
  for (const { id, expiresAt } of await setResumed(tx, tenantId, executionIds))
    await runtime().queue.enqueue(tx, waitExpiryQueue, { tenantId, id }, expiresAt)
}
