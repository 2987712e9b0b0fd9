import type { Transaction } from '#server/kernel/db/database.ts'

/** When the member's newest token was issued. The caller holds the lock of the member. */
export async function findNewestToken(tx: Transaction, tenantId: string, memberId: string): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('memberTokens')
    .select('issuedAt')
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .executeTakeFirst()
  return row?.issuedAt
}

/** The same of several members, by their ids. */
export async function findNewestTokens(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await tx
    .selectFrom('memberTokens')
    .select(['memberId', 'issuedAt'])
    .where('tenantId', '=', tenantId)
    .where('memberId', 'in', memberIds.length === 0 ? ['00000000-0000-0000-0000-000000000000'] : [...memberIds])
    .execute()
  return new Map(rows.map((row) => [row.memberId, row.issuedAt]))
}

export async function setNewestToken(
  tx: Transaction,
  row: { tenantId: string; memberId: string; issuedAt: Date; groups: string[] },
): Promise<void> {
  await tx
    .insertInto('memberTokens')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'memberId']).doUpdateSet({ issuedAt: row.issuedAt, groups: row.groups }),
    )
    .execute()
}
