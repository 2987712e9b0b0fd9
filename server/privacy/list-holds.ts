import { HoldList, ListHoldsInput } from '#lib/schemas/privacy.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listHolds } from './store.ts'
import { actorIn } from './view.ts'

/** holds.list, newest first, released ones included. */
export const listAllHolds = query({
  permission: 'hold:manage',
  input: ListHoldsInput,
  output: HoldList,
  async run({ tx, tenant, input }) {
    const rows = await listHolds(tx, tenant.id, input.limit + 1, input.cursor)
    const page = { rows, limit: input.limit, idOf: ({ id }: { id: string }) => id }
    const { items, nextCursor } = await boundPage(tx, tenant.id, 'legal_hold', page)
    return {
      items: items.map((row) => ({
        id: row.id,
        traceId: row.traceId,
        from: row.fromDay,
        to: row.toDay,
        reason: row.reason,
        createdBy: actorIn(row),
        createdAt: row.createdAt.toISOString(),
        releasedAt: row.releasedAt?.toISOString() ?? null,
        releaseReason: row.releaseReason,
        revision: row.revision,
      })),
      nextCursor,
    }
  },
})
