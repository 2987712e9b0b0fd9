import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import type { GroupMapping, PendingChange } from '#lib/schemas/members.ts'
import { externalIssuersOf } from '#server/kernel/auth/issuers/issuer.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembersOfGroups, findPeople } from '#server/tenants/group-store.ts'
import { findNamedBy, listMappings } from '#server/tenants/provider/mapping-store.ts'
import { groupChangePresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'

type GroupRow = { id: string; name: string; displayName: string; revision: number }
type Wanted = {
  memberIds: readonly string[]
  mappings?: readonly GroupMapping[] | undefined
  reason?: string | undefined
}

/** What was asked for, for the details of the record. */
export const askedIn = ({ memberIds, mappings }: Wanted): JsonObject => ({
  asked: [...memberIds],
  ...(mappings === undefined || mappings.length === 0 ? {} : { askedMappings: plain(mappings) }),
})

/**
 * Requests approval of these members, and of these mapped groups, for a group whose row the caller holds. Members who would join can't
 * approve it, nor those whom a new mapping names now. Throws 400 for an unknown id or issuer, 409 if nothing would change.
 */
export async function proposeGroupMembers(
  tx: Transaction,
  caller: { tenant: Tenant; principal: Principal },
  group: GroupRow,
  { memberIds, mappings: asked, reason }: Wanted,
): Promise<PendingChange> {
  const tenantId = caller.tenant.id
  const wanted = [...new Set(memberIds)]
  const after = await findPeople(tx, tenantId, wanted)
  const unknown = wanted.filter((id) => !after.some((member) => member.id === id))
  if (unknown.length > 0)
    throw new ApiError('validation_failed', 'memberIds: contains an unknown member id.', {
      issues: unknown.map((id) => ({ path: 'memberIds', message: `Unknown member ${id}.` })),
    })
  const before = await findMembersOfGroups(tx, tenantId, [group.id])
  const join = after.filter((member) => !before.some((known) => known.id === member.id))
  const leave = before.filter((member) => !wanted.includes(member.id))
  const known = await listMappings(tx, tenantId, [group.id])
  const mapped = asked === undefined ? known : distinct(asked)
  const mappings = {
    add: mapped.filter((one) => !known.some((other) => isSame(one, other))),
    remove: known.filter((one) => !mapped.some((other) => isSame(one, other))),
  }
  requireIssuers(caller.tenant, mappings.add)
  if (join.length + leave.length + mappings.add.length + mappings.remove.length === 0)
    throw new ApiError('conflict', 'The group already has exactly these members.')
  const ids = (members: readonly { id: string }[]) => members.map((member) => member.id)
  const members = { before: ids(before), after: ids(after) }
  const isMapping = mappings.add.length + mappings.remove.length > 0
  const named = await findNamedBy(tx, tenantId, mappings.add)
  return await proposeChange(tx, caller, {
    kind: 'group_change',
    subjectId: group.id,
    // A process of an earlier version can't read a change of mappings, and so can't apply a part of it.
    change: isMapping
      ? { revision: group.revision, members, mappings: { before: plain(known), after: plain(mapped) } }
      : { revision: group.revision, ...members },
    presentation: groupChangePresentation(group, { join, leave, after, named }, mappings, reason),
    parties: [
      ...join.map(({ id }) => ({ memberId: id, link: 'would join the group', role: 'would join the group' })),
      ...named
        .filter(({ id }) => !join.some((member) => member.id === id))
        .map(({ id }) => ({
          memberId: id,
          link: 'are in a group of the identity provider that would decide',
          role: 'is in a group of the identity provider that would decide',
        })),
    ],
  })
}

const isSame = (one: GroupMapping, other: GroupMapping) => one.issuer === other.issuer && one.name === other.name
const distinct = (mappings: readonly GroupMapping[]): GroupMapping[] =>
  mappings.filter((one, index) => mappings.findIndex((other) => isSame(one, other)) === index)
const plain = (mappings: readonly GroupMapping[]) => mappings.map(({ issuer, name }) => ({ issuer, name }))

/** Throws 400 for an issuer whose tokens the tenant does not accept: the error names those that it does. */
export function requireIssuers(tenant: Tenant, entries: readonly { issuer: string }[], field = 'mappings'): void {
  const issuers = externalIssuersOf(tenant)
  const unknown = entries.find(({ issuer }) => !issuers.includes(issuer))
  if (unknown === undefined) return
  const expected =
    issuers.length === 0
      ? 'This tenant accepts tokens only of Countersign itself. The operator adds an identity provider with AUTH_URL or TRUSTED_ISSUERS.'
      : `Use ${new Intl.ListFormat('en', { type: 'disjunction' }).format(issuers)}.`
  throw new ApiError('validation_failed', `${field}: Unknown issuer ${unknown.issuer}. ${expected}`, {
    issues: [{ path: field, message: `Unknown issuer ${unknown.issuer}. ${expected}` }],
  })
}
