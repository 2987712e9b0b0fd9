import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** What names a member: the newest token of the member, or SCIM. */
export type MappingSource = 'token' | 'scim'

/** The groups of providers that these approver groups take members from. */
export const listMappings = (tx: Transaction, tenantId: string, groupIds: readonly string[]) =>
  tx
    .selectFrom('groupMappings')
    .select(['id', 'groupId', 'issuer', 'name'])
    .where('tenantId', '=', tenantId)
    .where('groupId', 'in', [...groupIds])
    .orderBy('issuer')
    .orderBy('name')
    .execute()

/** The names of an issuer's groups that approver groups take members from. */
export async function findMappedNames(tx: Transaction, tenantId: string, issuer: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('groupMappings')
    .select('name')
    .distinct()
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .execute()
  return rows.map((row) => row.name)
}

/** The members whom the provider names in one of these groups, mapped or not, however old their token is. */
export async function findNamedBy(
  tx: Transaction,
  tenantId: string,
  mappings: readonly { issuer: string; name: string }[],
) {
  if (mappings.length === 0) return []
  const [issuers, names] = [mappings.map(({ issuer }) => issuer), mappings.map(({ name }) => name)]
  return await tx
    .selectFrom('members as holder')
    .select(['holder.id', 'holder.username', 'holder.displayName', 'holder.kind', 'holder.status', 'holder.roles'])
    .where('holder.tenantId', '=', tenantId)
    .where('holder.status', '<>', 'removed')
    .where(
      sql<boolean>`exists (
        select from unnest(${issuers}::text[], ${names}::text[]) as mapping (issuer, name)
        where mapping.issuer = holder.issuer and (
          exists (
            select from mapped_members named
            where named.tenant_id = holder.tenant_id and named.member_id = holder.id and named.name = mapping.name)
          or exists (
            select from member_tokens token
            where token.tenant_id = holder.tenant_id and token.member_id = holder.id and mapping.name = any(token.groups))))`,
    )
    .orderBy('holder.username')
    .execute()
}

export async function insertMapping(
  tx: Transaction,
  row: { tenantId: string; id: string; groupId: string; issuer: string; name: string },
): Promise<void> {
  await tx.insertInto('groupMappings').values(row).execute()
}

export async function deleteMapping(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('groupMappings').where('tenantId', '=', tenantId).where('id', '=', id).execute()
}

/** The provider's groups that `source` names for a member. */
export const findNamed = (tx: Transaction, tenantId: string, source: MappingSource, memberId: string) =>
  tx
    .selectFrom('mappedMembers')
    .select(['id', 'memberId', 'name'])
    .where('tenantId', '=', tenantId)
    .where('source', '=', source)
    .where('memberId', '=', memberId)
    .orderBy('name')
    .orderBy('id')
    .execute()

export async function insertNamed(
  tx: Transaction,
  row: { tenantId: string; id: string; memberId: string; source: MappingSource; name: string },
): Promise<void> {
  await tx
    .insertInto('mappedMembers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteNamed(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('mappedMembers').where('tenantId', '=', tenantId).where('id', '=', id).execute()
}
