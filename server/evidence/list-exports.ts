import { Id } from '#lib/schemas/common.ts'
import { ExportList, ListExportsInput } from '#lib/schemas/evidence.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listExports } from './store.ts'
import { exportViewsOf } from './view-of.ts'

/** The tenant's exports, newest first. The cursor is the last id. */
export const listExportJobs = query({
  permission: 'evidence:list',
  input: ListExportsInput.extend({ cursor: Id.optional() }),
  output: ExportList,
  async run({ tx, tenant, input }) {
    const rows = await listExports(tx, tenant.id, { limit: input.limit + 1, before: input.cursor })
    const { items, nextCursor } = pageOf(rows, input.limit, (row) => row.id)
    return { items: await exportViewsOf(tx, tenant, items), nextCursor }
  },
})
