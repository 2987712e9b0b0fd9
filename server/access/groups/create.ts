import { ApiError } from '#lib/errors.ts'
import { CreateGroupInput, GroupOutput } from '#lib/schemas/members.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { insertGroup } from '#server/tenants/group-store.ts'
import { askedIn, proposeGroupMembers } from './propose-members.ts'
import { groupViews } from './view.ts'

/** Creates an approver group. It starts empty; its first members need approval like any others. */
export const create = mutation({
  permission: 'member:manage',
  input: CreateGroupInput,
  output: GroupOutput,
  audit: (input, output) => ({
    action: 'group.created',
    resource: { type: 'group', id: output?.group.id ?? 'none' },
    reason: input.reason,
    details: { name: input.name, ...askedIn(input), changeId: output?.change?.changeId ?? null },
  }),
  async run({ tx, tenant, principal, input }) {
    const { name, displayName, memberIds, mappings, reason } = input
    const row = { id: newId(), name, displayName, revision: 1 }
    if (!(await insertGroup(tx, { tenantId: tenant.id, id: row.id, name, displayName })))
      throw new ApiError('name_conflict', `A group named ${name} already exists. Choose another name.`)
    const change =
      memberIds.length + mappings.length === 0
        ? null
        : await proposeGroupMembers(tx, { tenant, principal }, row, { memberIds, mappings, reason })
    const [group] = await groupViews(tx, tenant.id, [row])
    if (group === undefined) throw new Error('unreachable: one row in, one out')
    return { group, change }
  },
})
