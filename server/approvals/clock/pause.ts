import { expiryQueue } from '#server/approvals/jobs.ts'
import type { ApprovalRow } from '#server/approvals/store.ts'
import { findTerms, setPaused, setUnpaused } from '#server/approvals/terms/terms-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { enqueueNextMoment } from './moments.ts'

type Row = NonNullable<ApprovalRow>

/** A question was asked: stops the clock of a request whose terms say so. */
export async function pauseForQuestion(tx: Transaction, tenantId: string, { id, terms }: Row): Promise<void> {
  if (terms?.pauseOnQuestion === true) await setPaused(tx, tenantId, id)
}

/** Every question has been answered: lets the clock go on. */
export async function resumeAfterAnswer(tx: Transaction, tenantId: string, { id, terms }: Row): Promise<void> {
  if (terms === undefined || terms.pausedAt === null) return
  const expiresAt = await setUnpaused(tx, tenantId, id)
  if (expiresAt !== undefined) await rescheduleRequest(tx, tenantId, { id, expiresAt })
}

/** Schedules what happens by itself to a request whose deadline has changed. */
export async function rescheduleRequest(
  tx: Transaction,
  tenantId: string,
  request: { id: string; expiresAt: Date },
): Promise<void> {
  await runtime().queue.enqueue(tx, expiryQueue, { tenantId, id: request.id }, request.expiresAt)
  const terms = await findTerms(tx, tenantId, request.id)
  if (terms !== undefined) await enqueueNextMoment(tx, tenantId, request, terms)
}
