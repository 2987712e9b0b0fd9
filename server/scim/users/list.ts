import { z } from 'zod'
import { requireBoundTogether } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { findGroupsOfPeople } from '../groups/store.ts'
import type { ListRequest } from '../protocol/list-request.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { providerOf } from '../provider.ts'
import { findChangesHere } from './changed-here.ts'
import { conditionOfUsers } from './condition-store.ts'
import { userResource } from './resource.ts'
import { findPeople } from './store.ts'

/** A page of the people of the provider, oldest first. */
export const listUsers = query({
  ...scimOnly,
  input: z.custom<ListRequest>(),
  output: z.object({ total: z.number(), resources: z.array(Resource) }),
  async run({ tx, tenant, input: { filter, startIndex, count } }) {
    const condition = filter === undefined ? undefined : conditionOfUsers(filter)
    const page = { offset: startIndex - 1, limit: count }
    const { total, rows } = await findPeople(tx, tenant.id, providerOf(tenant), condition, page)
    const ids = rows.map(({ id }) => id)
    await requireBoundTogether(tx, tenant.id, { member: ids })
    const groups = await findGroupsOfPeople(tx, tenant.id, ids)
    const changes = await findChangesHere(tx, tenant.id, ids)
    return { total, resources: rows.map((row) => userResource(row, { groups, changedHere: changes.get(row.id) })) }
  },
})
