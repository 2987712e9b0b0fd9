import { notFound } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { GetEventsInput, GetEventsOutput } from '#lib/schemas/executions.ts'
import { findExecution } from '#server/executions/state/store.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { findEvents } from './event-store.ts'

/** The journal of one execution in order; `seq` is without gaps. Entries were masked when they were written. */
export const getEvents = query({
  permission: 'execution:read',
  input: GetEventsInput,
  output: GetEventsOutput,
  async run({ tx, tenant, input }) {
    if ((await findExecution(tx, tenant.id, input.id)) === undefined) throw notFound()
    const rows = await findEvents(tx, tenant.id, input.id, input.afterSeq, input.limit + 1)
    // Also the numbers between the rows: their events were deleted.
    const last = Math.min(rows.at(-1)?.seq ?? 0, input.afterSeq + 2 * input.limit)
    const shown = new Set(rows.map(({ seq }) => seq))
    for (let seq = input.afterSeq + 1; seq < last; seq++) shown.add(seq)
    await requireBound(
      tx,
      tenant.id,
      'execution_event',
      [...shown].map((seq) => `${input.id}/${seq}`),
    )
    const items = rows.slice(0, input.limit).map((row) => ({
      seq: row.seq,
      type: row.type,
      stepId: row.stepId,
      data: row.data as JsonValue,
      at: row.createdAt.toISOString(),
    }))
    return { items, nextCursor: rows.length > input.limit ? String(items.at(-1)?.seq) : null }
  },
})
