import { permissionsOf } from '#lib/permissions.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findActiveDelegators } from './store.ts'

/** A place in an approver group that somebody else may fill for a time. */
export type Seat = { delegatorId: string; delegatorName: string; groupId: string }

/**
 * The seats that `memberId` may fill now. A delegator who may not decide any more passes nothing on, and what somebody was
 * given by delegation they can't pass on either: seats are those of the groups' own members.
 */
export async function seatsOf(tx: Transaction, tenantId: string, memberId: string): Promise<Seat[]> {
  const rows = await findActiveDelegators(tx, tenantId, memberId)
  return rows
    .filter((row) => permissionsOf(row.roles).has('approval:decide'))
    .map((row) => ({ delegatorId: row.id, delegatorName: row.displayName, groupId: row.groupId }))
}
