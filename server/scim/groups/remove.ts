import { z } from 'zod'
import { mutation } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { changedSince } from '../protocol/errors.ts'
import { Targeting } from '../protocol/inputs.ts'
import { isKnownVersion } from '../protocol/version.ts'
import { membersOf, requireGroup } from './read.ts'
import { versionOfGroup } from './resource.ts'
import { membersChanged, moveMembers } from './set-members.ts'
import { deleteGroup, lockGroup } from './store.ts'

/** Deletes a group of the provider. Its members lose the seats that a mapping of its name gave them. */
export const removeGroup = mutation({
  ...scimOnly,
  input: Targeting,
  output: z.object({ name: z.string(), left: z.array(z.string()) }),
  audit: ({ id }, output) => ({
    action: 'provider_group.deleted',
    resource: { type: 'provider_group', id },
    reason: 'Removed by SCIM.',
    details: { name: output?.name ?? '', ...membersChanged({ joined: [], left: output?.left ?? [] }) },
  }),
  async run({ tx, tenant, input: { id, ifMatch } }) {
    const row = await requireGroup(tx, tenant, id, lockGroup)
    if (!isKnownVersion(ifMatch, versionOfGroup(row))) throw changedSince()
    const memberIds = (await membersOf(tx, tenant, [id])).get(id) ?? []
    const { left } = await moveMembers(tx, tenant.id, { name: row.name, memberIds }, { name: row.name, memberIds: [] })
    await deleteGroup(tx, tenant.id, id)
    return { name: row.name, left }
  },
})
