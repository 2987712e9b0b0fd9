import type { Confirmation } from '#lib/schemas/passkeys.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

export async function insertVote(
  tx: Transaction,
  row: {
    tenantId: string
    approvalId: string
    id: string
    memberId: string
    onBehalfOf: string | null
    decision: string
    reason: string
    escalationLevel: number
    auditId: string
    confirmation: Confirmation | undefined
  },
): Promise<void> {
  const { confirmation, ...values } = row
  await tx
    .insertInto('approvalVotes')
    .values({ ...values, confirmation: confirmation === undefined ? null : json(confirmation) })
    .execute()
}

export const findVotes = (tx: Transaction, tenantId: string, approvalId: string) =>
  tx
    .selectFrom('approvalVotes')
    .select([
      'id',
      'memberId',
      'onBehalfOf',
      'decision',
      'reason',
      'escalationLevel',
      'auditId',
      'confirmation',
      'createdAt',
    ])
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .orderBy('id')
    .execute()

/** The votes on these approvals at every escalation level, oldest first. */
export const findVotesOn = (tx: Transaction, tenantId: string, approvalIds: readonly string[]) =>
  tx
    .selectFrom('approvalVotes')
    .select(['id', 'approvalId', 'escalationLevel', 'memberId', 'onBehalfOf', 'reason', 'createdAt'])
    .where('tenantId', '=', tenantId)
    .where('approvalId', 'in', approvalIds.length === 0 ? ['00000000-0000-0000-0000-000000000000'] : [...approvalIds])
    .orderBy('id')
    .execute()
