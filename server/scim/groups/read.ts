import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { Id } from '#lib/schemas/common.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { requireBoundTogether } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { isShown, type Projection } from '../protocol/projection.ts'
import { providerOf } from '../provider.ts'
import { groupResource } from './resource.ts'
import { findGroup, findMembersOfGroups, type GroupRow } from './store.ts'

/** Throws 404. */
export async function requireGroup(
  tx: Transaction,
  tenant: Tenant,
  id: string,
  find: typeof findGroup = findGroup,
): Promise<GroupRow> {
  const row = Id.safeParse(id).success ? await find(tx, tenant.id, id) : undefined
  if (row === undefined) throw notFound()
  return row
}

/** The ids of the members of these groups, by the group's id. */
export async function membersOf(
  tx: Transaction,
  tenant: Tenant,
  groupIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await findMembersOfGroups(tx, tenant.id, providerOf(tenant), groupIds)
  await requireBoundTogether(tx, tenant.id, { mapped_member: rows.map(({ namedId }) => namedId) })
  const members = new Map<string, string[]>()
  for (const { groupId, memberId } of rows) {
    const known = members.get(groupId)
    if (known === undefined) members.set(groupId, [memberId])
    else known.push(memberId)
  }
  return members
}

/** `projection`: without the members, they are not read. */
export async function readGroup(
  tx: Transaction,
  tenant: Tenant,
  id: string,
  projection?: Projection,
): Promise<JsonObject> {
  const row = await requireGroup(tx, tenant, id)
  const members = await membersOf(tx, tenant, isShown(projection, 'members') ? [id] : [])
  return groupResource(row, members.get(id) ?? [])
}
