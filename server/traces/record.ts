import type { SpanKind } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import {
  insertSpan,
  insertTrace,
  lockTrace,
  type StoredAttribute,
  setChangeCount,
  setSpanEnded,
  setTraceEnded,
} from './store.ts'

// Called by whoever runs agents, inside their transactions: a span is there exactly when what it tells of is. Values come
// masked (lib/rules/mask.ts): nothing sensitive reaches the store. Doing a thing twice changes nothing, because a job that
// crashed repeats what it did.

export type Attributes = StoredAttribute[]

export async function startTrace(
  tx: Transaction,
  tenantId: string,
  trace: { traceId: string; executionId?: string; agentId?: string; name: string; startedAt: Date | string },
): Promise<void> {
  const { executionId, agentId, ...row } = trace
  const started = await insertTrace(tx, {
    tenantId,
    ...row,
    executionId: executionId ?? null,
    agentId: agentId ?? null,
  })
  if (started) notify(tx, 'trace', trace.traceId)
}

/** Takes the lock on the trace until commit. Throws when the trace was never started. */
export async function startSpan(
  tx: Transaction,
  tenantId: string,
  span: {
    traceId: string
    spanId: string
    parentSpanId?: string
    name: string
    kind: SpanKind
    attributes: Attributes
    startedAt: Date | string
  },
): Promise<void> {
  await change(tx, tenantId, span.traceId, (startChange) =>
    insertSpan(tx, { tenantId, ...span, parentSpanId: span.parentSpanId ?? null, startChange }),
  )
}

/** Appends `attributes` to those of the start. Takes the lock on the trace until commit; a span that never began is ignored. */
export async function endSpan(
  tx: Transaction,
  tenantId: string,
  span: {
    traceId: string
    spanId: string
    status: 'unset' | 'ok' | 'error'
    statusMessage?: string
    attributes: Attributes
    endedAt: Date | string
  },
): Promise<void> {
  const { traceId, spanId, status, statusMessage, attributes, endedAt } = span
  await change(tx, tenantId, traceId, (endChange) =>
    setSpanEnded(
      tx,
      { tenantId, traceId, spanId },
      { status, statusMessage: statusMessage ?? null, attributes, endedAt, endChange },
    ),
  )
}

export async function endTrace(
  tx: Transaction,
  tenantId: string,
  trace: { traceId: string; endedAt: Date | string },
): Promise<void> {
  await change(tx, tenantId, trace.traceId, () => setTraceEnded(tx, tenantId, trace.traceId, trace.endedAt))
}

/** Gives the trace's next number to a change, and wakes readers when it really was one. */
async function change(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  apply: (number: number) => Promise<boolean>,
): Promise<void> {
  const trace = await lockTrace(tx, tenantId, traceId)
  if (trace === undefined) throw new Error(`The trace ${traceId} was never started.`)
  const number = trace.changeCount + 1
  if (!(await apply(number))) return
  await setChangeCount(tx, tenantId, traceId, number)
  notify(tx, 'trace', traceId)
}
