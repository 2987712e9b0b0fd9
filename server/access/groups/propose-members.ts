import { ApiError } from '#lib/errors.ts'
import type { PendingChange } from '#lib/schemas/members.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembersOfGroups, findPeople } from '#server/tenants/group-store.ts'
import { groupChangePresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'

type GroupRow = { id: string; name: string; displayName: string; revision: number }

/**
 * Asks change-approvers for these members of a group, which the caller holds. Whoever would join can't approve it. Throws
 * 400 for an id of no member, 409 when nothing would change.
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
    throw new ApiError('validation_failed', 'memberIds: not every id is one of a member.', {
      issues: unknown.map((id) => ({ path: 'memberIds', message: `There is no member ${id}.` })),
    })
  const before = await findMembersOfGroups(tx, tenantId, [group.id])
  const join = after.filter((member) => !before.some((known) => known.id === member.id))
  const leave = before.filter((member) => !wanted.includes(member.id))
  if (join.length === 0 && leave.length === 0)
    throw new ApiError('conflict', 'The group has exactly these members already.')
  const ids = (members: readonly { id: string }[]) => members.map((member) => member.id)
  return await proposeChange(tx, caller, {
    kind: 'group_change',
    subjectId: group.id,
    change: { revision: group.revision, before: ids(before), after: ids(after) },
    presentation: groupChangePresentation(group, { join, leave, after }, reason),
    parties: join.map(({ id }) => ({ memberId: id, link: 'would join the group', role: 'would join the group' })),
  })
}
