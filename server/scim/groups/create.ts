import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { uniqueness } from '../protocol/errors.ts'
import { Creating } from '../protocol/inputs.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { providerOf } from '../provider.ts'
import { readGroup } from './read.ts'
import { groupOf } from './resource.ts'
import { membersChanged, moveMembers, requireOthers, requirePeople } from './set-members.ts'
import { findGroups, insertGroup } from './store.ts'

const mostGroups = 1_000

/** Stores a group of the provider. It has no effect until change-approvers map its name to an approver group. */
export const createGroup = mutation({
  ...scimOnly,
  input: Creating,
  output: z.object({
    resource: Resource,
    id: z.string(),
    name: z.string(),
    externalId: z.string().nullable(),
    joined: z.array(z.string()),
  }),
  audit: (_, output) => ({
    action: 'provider_group.created',
    resource: { type: 'provider_group', id: output?.id ?? 'none' },
    reason: 'Provisioned by SCIM.',
    details: {
      name: output?.name ?? '',
      externalId: output?.externalId ?? null,
      ...membersChanged({ joined: output?.joined ?? [], left: [] }),
    },
  }),
  async run({ tx, tenant, principal, input }) {
    const { name, externalId, memberIds } = groupOf(input.resource)
    // Also refuses a tenant without a provider.
    providerOf(tenant)
    await requirePeople(tx, tenant, memberIds)
    await requireOthers(tx, { tenant, principal }, name, memberIds)
    const { total } = await findGroups(tx, tenant.id, undefined, { offset: 0, limit: 0 })
    if (total >= mostGroups) throw new ApiError('forbidden', `A tenant can have ${mostGroups} groups of its provider.`)
    const id = newId()
    if (!(await insertGroup(tx, { tenantId: tenant.id, id, name, externalId })))
      throw uniqueness('displayName: Another group has this name.')
    const { joined } = await moveMembers(tx, tenant.id, { name, memberIds: [] }, { name, memberIds })
    return { resource: await readGroup(tx, tenant, id), id, name, externalId, joined }
  },
})
