import { ApiError, notFound } from '#lib/errors.ts'
import { GroupOutput, SetGroupMembersInput } from '#lib/schemas/members.ts'
import { mutation } from '#server/kernel/operation.ts'
import { lockGroup } from '#server/tenants/group-store.ts'
import { askedIn, proposeGroupMembers } from './propose-members.ts'
import { groupViews } from './view.ts'

/** Requests other members for an approver group; the group changes only after change-approvers approve. */
export const setMembers = mutation({
  permission: 'member:manage',
  input: SetGroupMembersInput,
  output: GroupOutput,
  audit: (input, output) => ({
    action: 'group.members_asked',
    resource: { type: 'group', id: input.id },
    reason: input.reason,
    details: { ...askedIn(input), changeId: output?.change?.changeId ?? null },
  }),
  async run({ tx, tenant, principal, input }) {
    const row = await lockGroup(tx, tenant.id, input.id)
    if (row === undefined) throw notFound()
    if (row.revision !== input.expectedRevision)
      throw new ApiError('revision_conflict', 'The group changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    const change = await proposeGroupMembers(tx, { tenant, principal }, row, input)
    const [group] = await groupViews(tx, tenant.id, [row])
    if (group === undefined) throw new Error('unreachable: one row in, one out')
    return { group, change }
  },
})
