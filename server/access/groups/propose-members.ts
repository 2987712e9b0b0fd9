import { ApiError } from '#lib/errors.ts'
import type { PendingChange } from '#lib/schemas/members.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembersOfGroups, findPeople } from '#server/tenants/group-store.ts'
import { groupChangePresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'

type GroupRow = { id: string; name: string; displayName: string; revision: number }

/**
 * Requests approval of these members for a group whose row the caller holds. Members who would join can't approve it.
 * Throws 400 for an unknown id, 409 if nothing would change.
 */
export async function proposeGroupMembers(
  tx: Transaction,
  caller: { tenant: Tenant; principal: Principal },
  group: GroupRow,
  memberIds: readonly string[],
  reason: string | undefined,
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
  if (join.length === 0 && leave.length === 0)
    throw new ApiError('conflict', 'The group already has exactly these members.')
  const ids = (members: readonly { id: string }[]) => members.map((member) => member.id)
  return await proposeChange(tx, caller, {
    kind: 'group_change',
    subjectId: group.id,
    change: { revision: group.revision, before: ids(before), after: ids(after) },
    presentation: groupChangePresentation(group, { join, leave, after }, reason),
    parties: join.map(({ id }) => ({ memberId: id, link: 'would join the group', role: 'would join the group' })),
  })
}
