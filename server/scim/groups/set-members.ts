import type { JsonValue } from '#lib/json.ts'
import { Id } from '#lib/schemas/common.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { selvesOf } from '#server/tenants/identities.ts'
import { lockMember } from '#server/tenants/member-store.ts'
import { setMappedGroups } from '#server/tenants/provider/mapped-groups.ts'
import { findMappedNames, findNamed } from '#server/tenants/provider/mapping-store.ts'
import { invalidValue } from '../protocol/errors.ts'
import { providerOf } from '../provider.ts'
import { findPeopleAmong } from './store.ts'

/** Throws 400 unless all of these are people of the provider: members of Countersign’s own realm can’t be in its groups. */
export async function requirePeople(tx: Transaction, tenant: Tenant, ids: readonly string[]): Promise<void> {
  const known = await findPeopleAmong(
    tx,
    tenant.id,
    providerOf(tenant),
    ids.filter((id) => Id.safeParse(id).success),
  )
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw invalidValue(`members: No user has the id ${unknown}.`)
}

/**
 * Refuses to put the people who made the token into a group that has seats: with the token, they would seat themselves.
 */
export async function requireOthers(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  name: string,
  memberIds: readonly string[],
): Promise<void> {
  const { people } = (await selvesOf(tx, tenant.id, [principal.memberId]))(principal.memberId)
  if (!memberIds.some((id) => people.includes(id))) return
  if (!(await findMappedNames(tx, tenant.id, providerOf(tenant))).includes(name)) return
  throw refuse(
    'separation_of_duties',
    'members: The people who made the token of this provider can’t get a seat in an approver group by it. Use a token that someone else made.',
  )
}

/**
 * Puts people into a group of the provider, takes others out, and, if the group has got another name, moves everyone to it. By its name the
 * group seats them in an approver group, if change-approvers have approved that mapping.
 */
export async function moveMembers(
  tx: Transaction,
  tenantId: string,
  from: { name: string; memberIds: readonly string[] },
  to: { name: string; memberIds: readonly string[] },
): Promise<{ joined: string[]; left: string[] }> {
  const [before, after] = [new Set(from.memberIds), new Set(to.memberIds)]
  const renamed = from.name !== to.name
  // In the order of their ids, so that two changes don't wait for each other.
  const concerned = [...new Set([...before, ...after])]
    .filter((id) => renamed || before.has(id) !== after.has(id))
    .sort()
  for (const memberId of concerned) {
    await lockMember(tx, tenantId, memberId)
    const names = (await findNamed(tx, tenantId, 'scim', memberId)).map(({ name }) => name)
    const others = names.filter((name) => name !== from.name && name !== to.name)
    await setMappedGroups(tx, tenantId, {
      memberId,
      source: 'scim',
      names: after.has(memberId) ? [...others, to.name] : others,
    })
  }
  return {
    joined: concerned.filter((id) => after.has(id) && !before.has(id)),
    left: concerned.filter((id) => before.has(id) && !after.has(id)),
  }
}

/** Ids in one record; the states of the rows in the record name everyone. */
const mostNamed = 100

/** Who joined and left, for the audit record. */
export const membersChanged = ({
  joined,
  left,
}: {
  joined: readonly string[]
  left: readonly string[]
}): { [name: string]: JsonValue } => ({
  joined: joined.slice(0, mostNamed),
  joinedCount: joined.length,
  left: left.slice(0, mostNamed),
  leftCount: left.length,
})
