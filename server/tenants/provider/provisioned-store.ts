import type { Transaction } from '#server/kernel/db/database.ts'

/** Of these members, those whose accounts SCIM manages. */
export async function findProvisionedAmong(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<Set<string>> {
  if (memberIds.length === 0) return new Set()
  const rows = await tx
    .selectFrom('provisionedMembers')
    .select('memberId')
    .where('tenantId', '=', tenantId)
    .where('memberId', 'in', [...memberIds])
    .execute()
  return new Set(rows.map(({ memberId }) => memberId))
}
