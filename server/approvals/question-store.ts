import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ApprovalRow } from './store.ts'

/** Whether someone made the request, or counts as the person who did. */
export const hasMade = ({ requestedBy, identities }: NonNullable<ApprovalRow>, memberId: string): boolean =>
  requestedBy === memberId || identities.some(({ personId }) => personId === memberId)

export async function insertQuestion(
  tx: Transaction,
  row: { tenantId: string; approvalId: string; id: string; askedBy: string; question: string; auditId: string },
): Promise<void> {
  await tx.insertInto('approvalQuestions').values(row).execute()
}

/** The questions about a request, in the order in which they were asked. */
export const findQuestions = (tx: Transaction, tenantId: string, approvalId: string) =>
  tx
    .selectFrom('approvalQuestions')
    .select(['id', 'askedBy', 'question', 'auditId', 'askedAt', 'answeredBy', 'answer', 'answerAuditId', 'answeredAt'])
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .orderBy('id')
    .execute()

/** False when the question does not exist, or has been answered. */
export async function setAnswered(
  tx: Transaction,
  tenantId: string,
  { approvalId, id }: { approvalId: string; id: string },
  { answeredBy, answer, answerAuditId }: { answeredBy: string; answer: string; answerAuditId: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('approvalQuestions')
    .set({ answeredBy, answer, answerAuditId, answeredAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .where('id', '=', id)
    .where('answer', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
