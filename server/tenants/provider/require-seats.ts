import { requireBound, requireBoundTogether } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { requireTokensKeyed } from './newest-token.ts'
import { readMappedSeats } from './seat-store.ts'

/** Refuses seats of these members in the group, of whatever kind, that anyone but this server has written. */
export async function requireSeatsBound(
  tx: Transaction,
  tenantId: string,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return
  // Sent together, so that they take one round trip.
  const [mapped] = await Promise.all([
    readMappedSeats(tx, tenantId)
      .select(['mapping.id as mappingId', 'named.id as namedId', 'named.memberId', 'named.source'])
      .where('mapping.groupId', '=', groupId)
      .where('named.memberId', 'in', [...memberIds])
      .execute(),
    requireBound(
      tx,
      tenantId,
      'approver_group_member',
      memberIds.map((memberId) => `${groupId}/${memberId}`),
    ),
  ])
  await requireBoundTogether(tx, tenantId, {
    group_mapping: [...new Set(mapped.map((row) => row.mappingId))],
    mapped_member: [...new Set(mapped.map((row) => row.namedId))],
  })
  const byToken = mapped.filter(({ source }) => source === 'token').map(({ memberId }) => memberId)
  await requireTokensKeyed(tx, tenantId, [...new Set(byToken)])
}
