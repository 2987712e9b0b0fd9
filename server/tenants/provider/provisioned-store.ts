import { sql } from 'kysely'
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

/** The provider's groups, newest first. */
export function listProvisionedGroups(tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) {
  let query = tx
    .selectFrom('provisionedGroups')
    .select(['id', 'name', 'externalId', 'updatedAt'])
    .where('tenantId', '=', tenantId)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Of each of these groups of the provider, the first members by their names, and how many there are. */
export const findMembersNamed = (tx: Transaction, tenantId: string, names: readonly string[], most: number) =>
  tx
    .selectFrom(
      tx
        .selectFrom('mappedMembers as named')
        .innerJoin('members as member', (join) =>
          join.onRef('member.tenantId', '=', 'named.tenantId').onRef('member.id', '=', 'named.memberId'),
        )
        .select(['named.id as namedId', 'named.name as group'])
        .select(['member.id', 'member.username', 'member.displayName', 'member.kind'])
        .select(sql<number>`row_number() over (partition by named.name order by member.username)::int`.as('place'))
        .select(sql<number>`count(*) over (partition by named.name)::int`.as('count'))
        .where('named.tenantId', '=', tenantId)
        .where('named.source', '=', 'scim')
        .where('named.name', 'in', [...names])
        .where('member.status', '<>', 'removed')
        .as('one'),
    )
    .selectAll()
    .where('one.place', '<=', most)
    .orderBy('one.place')
    .execute()

/** The approver groups that take the members of these groups of an issuer. */
export const findApproverGroupsOf = (tx: Transaction, tenantId: string, issuer: string, names: readonly string[]) =>
  tx
    .selectFrom('groupMappings as mapping')
    .innerJoin('approverGroups as taking', (join) =>
      join.onRef('taking.tenantId', '=', 'mapping.tenantId').onRef('taking.id', '=', 'mapping.groupId'),
    )
    .select(['mapping.id as mappingId', 'mapping.name', 'taking.id', 'taking.displayName'])
    .where('mapping.tenantId', '=', tenantId)
    .where('mapping.issuer', '=', issuer)
    .where('mapping.name', 'in', [...names])
    .orderBy('taking.displayName')
    .execute()
