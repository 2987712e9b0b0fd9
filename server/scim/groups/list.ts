import { z } from 'zod'
import { query } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import type { ListRequest } from '../protocol/list-request.ts'
import { isShown } from '../protocol/projection.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { conditionOfGroups } from './condition-store.ts'
import { membersOf } from './read.ts'
import { groupResource } from './resource.ts'
import { findGroups } from './store.ts'

/** A page of the groups of the provider, oldest first. */
export const listGroups = query({
  ...scimOnly,
  input: z.custom<ListRequest>(),
  output: z.object({ total: z.number(), resources: z.array(Resource) }),
  async run({ tx, tenant, input: { filter, startIndex, count, projection } }) {
    const condition = filter === undefined ? undefined : conditionOfGroups(filter)
    const { total, rows } = await findGroups(tx, tenant.id, condition, { offset: startIndex - 1, limit: count })
    const ids = rows.map(({ id }) => id)
    const members = await membersOf(tx, tenant, isShown(projection, 'members') ? ids : [])
    return { total, resources: rows.map((row) => groupResource(row, members.get(row.id) ?? [])) }
  },
})
