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
  if ((last.action !== how && !begun) || last.details.through !== 'scim') return false
  return how === 'member.removed' || !(await suspendedByAdministrator(tx, tenantId, memberId))
}

/**
 * Whether an administrator of the tenant was the last to suspend a member and has not resumed the membership since. The provider can
 * remove such a member, but that does not lift the suspension.
 */
export async function suspendedByAdministrator(tx: Transaction, tenantId: string, memberId: string): Promise<boolean> {
  const last = await findLastRecord(tx, tenantId, memberId, ['member.suspended', 'member.resumed'])
  if (last?.action !== 'member.suspended') return false
  return !isJsonObject(last.details) || last.details.through !== 'scim'
}
