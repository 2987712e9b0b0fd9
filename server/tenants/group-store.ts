import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { readMappedSeats, readSeats } from './provider/seat-store.ts'

const columns = ['id', 'name', 'displayName', 'revision'] as const

/** False if the name is taken. */
export async function insertGroup(
  tx: Transaction,
  row: { tenantId: string; id: string; name: string; displayName: string },
): Promise<boolean> {
  const result = await tx
    .insertInto('approverGroups')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function insertGroupMember(
  tx: Transaction,
  row: { tenantId: string; groupId: string; memberId: string },
): Promise<void> {
  await tx.insertInto('approverGroupMembers').values(row).execute()
}

export const findGroup = (tx: Transaction, tenantId: string, name: string) =>
  tx
    .selectFrom('approverGroups')
    .select(['id', 'name', 'displayName'])
    .where('tenantId', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()

export const findGroupById = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('approverGroups')
    .select(['id', 'displayName'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Active members of a group, with the fields that a decision needs. */
export const findGroupMembers = (tx: Transaction, tenantId: string, groupId: string) =>
  tx
    .selectFrom(readSeats(tx, tenantId).as('link'))
    .innerJoin('members as member', 'member.id', 'link.memberId')
    .select(['member.id', 'member.username', 'member.displayName', 'member.kind', 'member.email', 'member.roles'])
    .where('member.tenantId', '=', tenantId)
    .where('link.groupId', '=', groupId)
    .where('member.status', '=', 'active')
    .orderBy('member.username')
    .execute()

export const findGroupsOf = (tx: Transaction, tenantId: string, memberId: string) =>
  groupsOf(tx, { tenantId, memberId })

const groupsOf = fixedStatement({ tenantId: '', memberId: '' }, (tx, { tenantId, memberId }) =>
  tx
    .selectFrom(readSeats(tx, tenantId).as('link'))
    .innerJoin('approverGroups as g', 'g.id', 'link.groupId')
    .select(['g.id', 'g.name'])
    .where('g.tenantId', '=', tenantId)
    .where('link.memberId', '=', memberId)
    .orderBy('g.name'),
)

export const lockGroup = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('approverGroups')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export function listGroups(tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) {
  let query = tx.selectFrom('approverGroups').select(columns).where('tenantId', '=', tenantId)
  if (cursor !== undefined) query = query.where('id', '>', cursor)
  return query.orderBy('id').limit(limit).execute()
}

/** Members whom approved changes put into these groups, and who have not been removed from the tenant. */
export const findMembersOfGroups = (tx: Transaction, tenantId: string, groupIds: readonly string[]) =>
  tx
    .selectFrom('approverGroupMembers as link')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'link.tenantId').onRef('member.id', '=', 'link.memberId'),
    )
    .select(['link.groupId', 'member.id', 'member.username', 'member.displayName', 'member.kind'])
    .select(['member.status', 'member.roles'])
    .where('link.tenantId', '=', tenantId)
    .where('link.groupId', 'in', [...groupIds])
    .where('member.status', '<>', 'removed')
    .orderBy('member.username')
    .execute()

/** Members to whom groups of the provider give a seat in these groups, who have not been removed, with what names them. */
export const findMappedMembersOfGroups = (tx: Transaction, tenantId: string, groupIds: readonly string[]) =>
  readMappedSeats(tx, tenantId)
    .select(['mapping.groupId', 'holder.id', 'holder.username', 'holder.displayName', 'holder.kind'])
    .select(['named.source', 'named.name'])
    .where('mapping.groupId', 'in', [...groupIds])
    .where('holder.status', '<>', 'removed')
    .orderBy('holder.username')
    .orderBy('named.name')
    .orderBy('named.source')
    .execute()

/** Members with these ids who have not been removed. */
export const findPeople = (tx: Transaction, tenantId: string, ids: readonly string[]) =>
  tx
    .selectFrom('members')
    .select(['id', 'username', 'displayName', 'kind', 'status', 'roles'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .where('kind', 'in', ['person', 'service_account'])
    .where('status', '<>', 'removed')
    .orderBy('username')
    .execute()

/** The caller holds the lock of the group's row. */
export async function replaceGroupMembers(
  tx: Transaction,
  tenantId: string,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  // Those who stay keep their rows: leaving a group ends what stands on the membership.
  await tx
    .deleteFrom('approverGroupMembers')
    .where('tenantId', '=', tenantId)
    .where('groupId', '=', groupId)
    .$if(memberIds.length > 0, (q) => q.where('memberId', 'not in', [...memberIds]))
    .execute()
  if (memberIds.length > 0)
    await tx
      .insertInto('approverGroupMembers')
      .values(memberIds.map((memberId) => ({ tenantId, groupId, memberId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await tx
    .updateTable('approverGroups')
    .set((e) => ({ revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', groupId)
    .execute()
}

/** Takes a member out of all approver groups. */
export async function deleteSeatsOf(tx: Transaction, tenantId: string, memberId: string): Promise<void> {
  await tx
    .deleteFrom('approverGroupMembers')
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .execute()
}
