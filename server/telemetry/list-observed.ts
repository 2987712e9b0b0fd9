import { ListObservedAgentsInput, ObservedAgentList } from '#lib/schemas/telemetry.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { findLastObserved, listObserved } from './store.ts'

/**
 * agents.observed: every agent that telemetry has named, so that unregistered agents become visible. A page searches 5,000
 * names for matches, so it may be short; its cursor continues from there.
 */
export const observed = query({
  permission: 'agent:read',
  input: ListObservedAgentsInput,
  output: ObservedAgentList,
  async run({ tx, tenant, input }) {
    const rows = await listObserved(tx, tenant.id, { ...input, limit: input.limit + 1 })
    const { items, nextCursor } = pageOf(rows, input.limit, (row) => row.name)
    return {
      items: items.map(({ id, firstSeenAt, lastSeenAt, ...row }) => ({
        ...row,
        registered: id !== null,
        agentId: id,
        firstSeenAt: firstSeenAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
      })),
      nextCursor: nextCursor ?? (await findLastObserved(tx, tenant.id, input.cursor)),
    }
  },
})
