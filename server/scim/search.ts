import { z } from 'zod'
import type { JsonObject } from '#lib/json.ts'
import { type Context, query } from '#server/kernel/operation.ts'
import { scimOnly } from './door.ts'
import { listGroups } from './groups/list.ts'
import { ScimError } from './protocol/errors.ts'
import type { ListRequest } from './protocol/list-request.ts'
import { Resource } from './protocol/resource-schema.ts'
import { listUsers } from './users/list.ts'

type Page = { total: number; resources: JsonObject[] }

/** A page of people and groups together, people first (RFC 7644, section 3.4.3). */
export const searchAll = query({
  ...scimOnly,
  input: z.custom<ListRequest>(),
  output: z.object({ total: z.number(), resources: z.array(Resource) }),
  async run(context) {
    const { startIndex, count } = context.input
    const users = await pageOf(context, listUsers.run, { startIndex, count })
    const [before, left] = ['total' in users ? users.total : 0, count - ('total' in users ? users.resources.length : 0)]
    const groups = await pageOf(context, listGroups.run, { startIndex: Math.max(1, startIndex - before), count: left })
    // A filter on an attribute of one type matches nothing of the other one.
    if (!('total' in users) && !('total' in groups)) throw users
    const pages = [users, groups].filter((one): one is Page => 'total' in one)
    return {
      total: pages.reduce((sum, { total }) => sum + total, 0),
      resources: pages.flatMap(({ resources }) => resources),
    }
  },
})

async function pageOf(
  context: Context<ListRequest>,
  list: (context: Context<ListRequest>) => Promise<Page>,
  page: Pick<ListRequest, 'startIndex' | 'count'>,
): Promise<Page | ScimError> {
  try {
    return await list({ ...context, input: { ...context.input, ...page } })
  } catch (error) {
    if (error instanceof ScimError && error.scimType === 'invalidFilter') return error
    throw error
  }
}
