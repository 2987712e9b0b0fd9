import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { expiryQueue } from './jobs.ts'
import { setParked, setResumed } from './park-store.ts'

/** Pauses the deadlines of these executions' pending requests. They can still be decided, with effect after the resume. */
export const parkRequests = setParked

export async function resumeRequests(
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
): Promise<void> {
  for (const { id, expiresAt } of await setResumed(tx, tenantId, executionIds))
    await runtime().queue.enqueue(tx, expiryQueue, { tenantId, id }, expiresAt)
}
