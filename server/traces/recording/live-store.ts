import { CompiledQuery } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { StoredAttribute } from '#server/traces/attributes.ts'

// The spans of executions. The functions are in migration 0110: the trace is locked first, so that the numbers of its changes follow the
// order of the commits.

/** Whether the trace exists, and whether it changed. */
type Change = { known: boolean; changed: boolean }

/** A span as start_spans reads it. Bytes are text, as in `bytesText`. */
export type SpanStart = {
  spanId: string
  parentSpanId: string | null
  name: string
  kind: string
  status: 'unset' | 'ok' | 'error'
  attributes: readonly StoredAttribute[]
  sealed: string | null
  startedAt: Date | string
  /** Set for a span that has ended before it is announced. */
  endedAt: Date | string | null
}

/** The end of a span as end_spans reads it. */
export type SpanEnd = {
  spanId: string
  status: 'unset' | 'ok' | 'error'
  attributes: readonly StoredAttribute[]
  sealed: string | null
  endedAt: Date | string
}

/** Does nothing for spans that the execution has started before. */
export async function insertSpans(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  spans: readonly SpanStart[],
): Promise<Change> {
  const text = 'select known, changed from start_spans($1, $2, $3)'
  const { rows } = await tx.executeQuery<Change>(CompiledQuery.raw(text, [tenantId, traceId, JSON.stringify(spans)]))
  return rows[0] ?? { known: false, changed: false }
}

/** Does nothing for spans that do not exist or have ended, nor for a trace that has. */
export async function setSpansEnded(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  spans: readonly SpanEnd[],
  traceEndedAt: Date | string | null,
): Promise<Change> {
  const text = 'select known, changed from end_spans($1, $2, $3, $4)'
  const values = [tenantId, traceId, JSON.stringify(spans), traceEndedAt]
  const { rows } = await tx.executeQuery<Change>(CompiledQuery.raw(text, values))
  return rows[0] ?? { known: false, changed: false }
}
