import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type RecordedAttribute, statusMessageKey } from '#server/traces/attributes.ts'
import { encryptSpan } from '#server/traces/encryption/encrypt-span.ts'
import { insertTrace } from '#server/traces/store.ts'
import { insertSpan, setSpanEnded, setTraceEnded } from './live-store.ts'

// Called by the code that runs agents, inside its transactions, so that a span is committed together with the change it
// describes. Sensitive values are marked by the caller and encrypted here. Repeating a call changes nothing, because a job
// that crashed repeats its calls. Each change of a span is one statement; it locks the trace until commit.

export type Attributes = RecordedAttribute[]

/**
 * Content, whose sensitive parts are masked by `mask`. All of it is stored encrypted: the shown part for everyone who reads the
 * trace, the masked values for readers with permission.
 */
export function masked(key: string, value: JsonValue, mask: (value: JsonValue) => JsonValue): RecordedAttribute {
  const view = mask(value)
  return isCanonical(value) ? { key, value, view } : { key, value: view, view }
}

/** A tool's result may lack a canonical form, so that only the shown part is stored, without commitments. */
function isCanonical(value: JsonValue): boolean {
  try {
    canonicalJson(value)
    return true
  } catch (error) {
    if (error instanceof JcsError) return false
    throw error
  }
}

/** A trace that telemetry began with this id becomes the trace of the execution. */
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
  if (started) notify(tx, 'trace', topicOf(tenantId, trace.traceId))
}

/** Throws if the trace was never started. With `ended`, start and end of the span are recorded together. */
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
    ended?: { at: Date | string; status: 'ok' | 'error' }
  },
): Promise<void> {
  const { attributes, sealed } = await store(tx, tenantId, span)
  const { parentSpanId = null, ended = null } = span
  told(tx, tenantId, span.traceId, await insertSpan(tx, { tenantId, ...span, parentSpanId, ended, attributes, sealed }))
}

/** Appends `attributes` to those of the start. Ignores a span that never began; throws if its trace never began. */
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
  const { statusMessage, ...end } = span
  // A message may contain a tool's output, so it is content.
  const message = statusMessage === undefined ? [] : [masked(statusMessageKey, statusMessage, (text) => text)]
  const { attributes, sealed } = await store(tx, tenantId, { ...end, attributes: [...end.attributes, ...message] })
  told(tx, tenantId, span.traceId, await setSpanEnded(tx, { tenantId, ...end, attributes, sealed }))
}

export async function endTrace(
  tx: Transaction,
  tenantId: string,
  trace: { traceId: string; endedAt: Date | string },
): Promise<void> {
  told(tx, tenantId, trace.traceId, await setTraceEnded(tx, tenantId, trace.traceId, trace.endedAt))
}

/** Reads the tenant's key only for a span with sensitive values or content. */
async function store(
  tx: Transaction,
  tenantId: string,
  span: { traceId: string; spanId: string; attributes: Attributes },
) {
  if (span.attributes.every((attribute) => attribute.class === undefined && attribute.view === undefined))
    return { attributes: span.attributes, sealed: null }
  return encryptSpan(await tenantCipher(tx, tenantId), span, span)
}

/** Notifies the trace's readers of a change. */
function told(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  { known, changed }: { known: boolean; changed: boolean },
): void {
  if (!known) throw new Error(`The trace ${traceId} was never started.`)
  if (changed) notify(tx, 'trace', topicOf(tenantId, traceId))
}
