import { z } from 'zod'
import { TraceId } from '#lib/schemas/common.ts'
import { ListTracesInput, TraceList } from '#lib/schemas/traces.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listTraces } from './store.ts'
import { traceView } from './view.ts'

/** `<start to the microsecond>~<trace id>` of the last row. */
const Cursor = z
  .string()
  .regex(/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z~[0-9a-f]{32}$/, 'not a cursor of this list')
  .transform((text) => text.split('~'))
  .pipe(z.tuple([z.iso.datetime(), TraceId]))

export const list = query({
  permission: 'trace:read',
  input: ListTracesInput.extend({ cursor: Cursor.optional() }),
  output: TraceList,
  async run({ tx, tenant, input }) {
    const before = input.cursor && { at: input.cursor[0], traceId: input.cursor[1] }
    const rows = await listTraces(tx, tenant.id, { limit: input.limit + 1, before })
    const { items, nextCursor } = pageOf(rows, input.limit, (row) => `${row.cursorAt}~${row.traceId}`)
    return {
      items: items.map((row) => ({
        ...traceView(row),
        spanCount: row.spanCount,
        errorCount: row.errorCount,
        agentName: row.agentName,
      })),
      nextCursor,
    }
  },
})
