import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

/** What is stored of a member's newest token. `mac`: null if a process of an earlier version wrote the row. */
export type StoredToken = { memberId: string; issuedAt: Date; groups: string[]; mac: Buffer | null }

/** The newest tokens of these members. */
export const listTokens = (tx: Transaction, tenantId: string, memberIds: readonly string[]): Promise<StoredToken[]> =>
  tokensOf(tx, { tenantId, memberIds })

const tokensOf = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  tx
    .selectFrom('memberTokens')
    .select(['memberId', 'issuedAt', 'groups', 'mac'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`member_id = any(${memberIds}::uuid[])`),
)

/** When the newest tokens of these members were issued, by their ids. */
export const findNewestTokens = async (
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<Map<string, Date>> =>
  new Map((await listTokens(tx, tenantId, memberIds)).map((row) => [row.memberId, row.issuedAt]))

/** Use setNewestToken, which adds the mac. */
export async function writeToken(tx: Transaction, row: StoredToken & { tenantId: string; mac: Buffer }): Promise<void> {
  await tx
    .insertInto('memberTokens')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'memberId'])
        .doUpdateSet({ issuedAt: row.issuedAt, groups: row.groups, mac: row.mac }),
    )
    .execute()
}
