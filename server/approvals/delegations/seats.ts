import { permissionsOf } from '#lib/permissions.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findActiveDelegators } from './store.ts'

/** A delegator's membership in an approver group, which a delegate can use during a delegation. */
export type Seat = { delegatorId: string; delegatorName: string; groupId: string }

/**
 * The seats that `memberId` can use now. A delegator who can no longer decide passes nothing on, and seats are only those of the
 * groups' own members, so a delegate cannot delegate further.
 */
export async function seatsOf(tx: Transaction, tenantId: string, memberId: string): Promise<Seat[]> {
  const rows = await findActiveDelegators(tx, tenantId, memberId)
  return rows
    .filter((row) => permissionsOf(row.roles).has('approval:decide'))
    .map((row) => ({ delegatorId: row.id, delegatorName: row.displayName, groupId: row.groupId }))
}
