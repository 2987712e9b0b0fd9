import { z } from 'zod'
import { TraceId } from '#lib/schemas/common.ts'
import { ListTracesInput, TraceList } from '#lib/schemas/traces.ts'
import { query } from '#server/kernel/operation.ts'
import { requireExecutionsOf } from './executions-of.ts'
import { listTraces } from './store.ts'
import { traceView } from './view.ts'

/** `<start to the microsecond>~<trace id>` of the last row. */
const Cursor = z
  .string()
  .regex(/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z~[0-9a-f]{32}$/, 'not a cursor of this list')
  .transform((text) => text.split('~'))
  .pipe(z.tuple([z.iso.datetime(), TraceId]))

/**
 * Returns the traces of the tenant, newest first. Their execution and agent are compared with the log. Name, times and counts are
 * an index over spans: traces.getTrace compares the spans.
 */
export const list = query({
  permission: 'trace:read',
  input: ListTracesInput.extend({ cursor: Cursor.optional() }),
  output: TraceList,
  async run({ tx, tenant, input }) {
    const { limit, cursor, ...filter } = input
    const before = cursor && { at: cursor[0], traceId: cursor[1] }
    // One more row than requested shows whether older traces exist. The page may also end after many rows that don't match.
    const { hits, stoppedAt } = await listTraces(tx, tenant.id, { limit: limit + 1, before, filter })
    const items = hits.slice(0, limit)
    await requireExecutionsOf(tx, tenant.id, items)
    const last = hits.length > limit ? items.at(-1) : stoppedAt
    return {
      items: items.map((row) => ({
        ...traceView(row),
        spanCount: row.spanCount,
        errorCount: row.errorCount,
        agentName: row.agentName,
      })),
      nextCursor: last === undefined ? null : `${last.cursorAt}~${last.traceId}`,
    }
  },
})
