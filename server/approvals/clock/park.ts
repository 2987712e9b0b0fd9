import { setPausedAnew } from '#server/approvals/terms/terms-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { setParked, setResumed } from './park-store.ts'
import { rescheduleRequest } from './pause.ts'

/** Pauses the deadlines of these executions' pending requests. They can still be decided, with effect after the resume. */
export const parkRequests = setParked

export async function resumeRequests(
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
): Promise<void> {
  const resumed = await setResumed(tx, tenantId, executionIds)
  await setPausedAnew(
    tx,
    tenantId,
    resumed.map(({ id }) => id),
  )
  for (const request of resumed) await rescheduleRequest(tx, tenantId, request)
}
