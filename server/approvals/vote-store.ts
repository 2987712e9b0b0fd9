import { sql } from 'kysely'
import type { Confirmation } from '#lib/schemas/passkeys.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

/** A vote as it is cast. */
export type NewVote = {
  id: string
  memberId: string
  onBehalfOf: string | null
  decision: string
  reason: string
  escalationLevel: number
  confirmation: Confirmation | undefined
}

export async function insertVote(
  tx: Transaction,
  row: NewVote & { tenantId: string; approvalId: string; auditId: string },
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
  votesOn(tx, { tenantId, approvalIds })

const votesOn = fixedStatement({ tenantId: '', approvalIds: [''] }, (tx, { tenantId, approvalIds }) =>
  tx
    .selectFrom('approvalVotes')
    .select(['id', 'approvalId', 'escalationLevel', 'memberId', 'onBehalfOf', 'reason', 'createdAt'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`approval_id = any(${approvalIds}::uuid[])`)
    .orderBy('id'),
)
