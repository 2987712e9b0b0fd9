import { ListObservedAgentsInput, ObservedAgentList } from '#lib/schemas/telemetry.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { findLastObserved, listObserved } from './store.ts'

/**
 * agents.observed: every agent that telemetry has named, so that those that nobody registered are seen. A page looks through
 * 5,000 names for those that fit, and may be short; its cursor goes on.
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
