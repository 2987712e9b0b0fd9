import type { Transaction } from '#server/kernel/db/database.ts'

/** The members who own at least one of these agents: for a decision about the agents they count as the requester. */
export async function findOwnerIds(tx: Transaction, tenantId: string, agentIds: readonly string[]): Promise<string[]> {
  if (agentIds.length === 0) return []
  const rows = await tx
    .selectFrom('agentOwners')
    .select('memberId')
    .distinct()
    .where('tenantId', '=', tenantId)
    .where('agentId', 'in', [...agentIds])
    .orderBy('memberId')
    .execute()
  return rows.map(({ memberId }) => memberId)
}
