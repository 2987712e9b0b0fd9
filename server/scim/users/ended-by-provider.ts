import { isJsonObject } from '#lib/json.ts'
import { findLastRecord } from '#server/audit/last-record-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

const ends = ['member.suspended', 'member.removed']
const beginnings = ['member.created', 'member.restored']

/**
 * Whether the provider, by SCIM, was the last to suspend or remove a member. The provider takes back what it did itself; what an
 * administrator of the tenant ended stays so. The log is asked, because it has who did it.
 */
export async function endedByProvider(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  how: 'member.suspended' | 'member.removed',
): Promise<boolean> {
  const last = await findLastRecord(tx, tenantId, memberId, [...ends, ...beginnings])
  if (last === undefined || !isJsonObject(last.details)) return false
  // A membership can begin suspended.
  const begun = how === 'member.suspended' && beginnings.includes(last.action) && last.details.active === false
  return (last.action === how || begun) && last.details.through === 'scim'
}
