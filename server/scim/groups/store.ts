import { type Expression, type SqlBool, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { GroupOfUser } from '../users/resource.ts'

const columns = ['id', 'name', 'externalId', 'createdAt', 'updatedAt', 'revision'] as const

export type GroupRow = NonNullable<Awaited<ReturnType<typeof findGroup>>>

export const findGroup = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('provisionedGroups')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Locks the group until the transaction ends, so that changes of its members run one after the other. */
export const lockGroup = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('provisionedGroups')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export async function findGroups(
  tx: Transaction,
  tenantId: string,
  condition: Expression<SqlBool> | undefined,
  { offset, limit }: { offset: number; limit: number },
) {
  const found = tx
    .selectFrom('provisionedGroups as provisioned')
    .where('provisioned.tenantId', '=', tenantId)
    .$if(condition !== undefined, (q) => q.where(condition ?? sql<boolean>`true`))
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = limit === 0 ? [] : await found.select(columns).orderBy('id').offset(offset).limit(limit).execute()
  return { total: Number(total), rows }
}

/** False if another group has the name. */
export async function insertGroup(
  tx: Transaction,
  row: { tenantId: string; id: string; name: string; externalId: string | null },
): Promise<boolean> {
  const result = await tx
    .insertInto('provisionedGroups')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export const findGroupNamed = (tx: Transaction, tenantId: string, name: string) =>
  tx
    .selectFrom('provisionedGroups')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()

export async function setGroup(
  tx: Transaction,
  tenantId: string,
  id: string,
  values: { name: string; externalId: string | null },
): Promise<void> {
  await tx
    .updateTable('provisionedGroups')
    .set((e) => ({ ...values, revision: e('revision', '+', 1), updatedAt: sql<Date>`clock_timestamp()` }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function deleteGroup(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('provisionedGroups').where('tenantId', '=', tenantId).where('id', '=', id).execute()
}

/** Memberships in provisioned groups of people of the issuer who have not been removed. */
const seats = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('mappedMembers as named')
    .innerJoin('provisionedGroups as provisioned', (join) =>
      join.onRef('provisioned.tenantId', '=', 'named.tenantId').onRef('provisioned.name', '=', 'named.name'),
    )
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'named.tenantId').onRef('member.id', '=', 'named.memberId'),
    )
    .where('named.tenantId', '=', tenantId)
    .where('named.source', '=', 'scim')
    .where('member.status', '<>', 'removed')

/** The provisioned groups of these people. */
export const findGroupsOfPeople = (
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<GroupOfUser[]> =>
  seats(tx, tenantId)
    .select(['named.memberId', 'provisioned.id', 'provisioned.name'])
    .where('named.memberId', 'in', [...memberIds])
    .orderBy('provisioned.id')
    .execute()

/** The people of the issuer in these groups. */
export const findMembersOfGroups = (tx: Transaction, tenantId: string, issuer: string, groupIds: readonly string[]) =>
  seats(tx, tenantId)
    .select(['provisioned.id as groupId', 'named.memberId', 'named.id as namedId'])
    .where('member.issuer', '=', issuer)
    .where('member.kind', '=', 'person')
    .where('provisioned.id', 'in', [...groupIds])
    .orderBy('named.memberId')
    .execute()

/** Of these ids, those of people of the issuer who have not been removed. */
export async function findPeopleAmong(
  tx: Transaction,
  tenantId: string,
  issuer: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('kind', '=', 'person')
    .where('status', '<>', 'removed')
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
