import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { bytesText } from '#server/kernel/db/json.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type RecordedAttribute, statusMessageKey } from '#server/traces/attributes.ts'
import { encryptSpan } from '#server/traces/encryption/encrypt-span.ts'
import { insertTrace } from '#server/traces/store.ts'
import { insertSpans, type SpanEnd, type SpanStart, setSpansEnded } from './live-store.ts'

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

/** A span that starts. With `ended`, start and end are recorded together. */
export type NewSpan = {
  spanId: string
  parentSpanId?: string
  name: string
  kind: SpanKind
  attributes: Attributes
  startedAt: Date | string
  ended?: { at: Date | string; status: 'ok' | 'error' }
}

/** The end of a span. Its attributes are appended to those of the start. */
export type EndedSpan = {
  spanId: string
  status: 'unset' | 'ok' | 'error'
  statusMessage?: string
  attributes: Attributes
  endedAt: Date | string
}

/** Throws if the trace was never started. */
export async function startSpan(
  tx: Transaction,
  tenantId: string,
  { traceId, ...span }: NewSpan & { traceId: string },
): Promise<void> {
  await startSpans(tx, tenantId, traceId, [span])
}

/** The same for several spans of one trace, in one statement. */
export async function startSpans(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  spans: readonly NewSpan[],
): Promise<void> {
  const starts = await spanStarts(tx, tenantId, traceId, spans)
  told(tx, tenantId, traceId, await insertSpans(tx, tenantId, traceId, starts))
}

/** Ignores a span that never began; throws if its trace never began. */
export async function endSpan(
  tx: Transaction,
  tenantId: string,
  { traceId, ...span }: EndedSpan & { traceId: string },
): Promise<void> {
  const ends = await spanEnds(tx, tenantId, traceId, [span])
  told(tx, tenantId, traceId, await setSpansEnded(tx, tenantId, traceId, ends, null))
}

export async function endTrace(
  tx: Transaction,
  tenantId: string,
  trace: { traceId: string; endedAt: Date | string },
): Promise<void> {
  told(tx, tenantId, trace.traceId, await setSpansEnded(tx, tenantId, trace.traceId, [], trace.endedAt))
}

/** Spans as the functions of the database start them, for a statement that does more. It must notify the trace's readers. */
export const spanStarts = (
  tx: Transaction,
  tenantId: string,
  traceId: string,
  spans: readonly NewSpan[],
): Promise<SpanStart[]> =>
  Promise.all(
    spans.map(async ({ parentSpanId = null, ended, ...span }) => ({
      ...span,
      ...(await store(tx, tenantId, { ...span, traceId })),
      name: span.name.toWellFormed(),
      parentSpanId,
      status: ended?.status ?? 'unset',
      endedAt: ended?.at ?? null,
    })),
  )

/** The same for the ends of spans. */
export const spanEnds = (
  tx: Transaction,
  tenantId: string,
  traceId: string,
  spans: readonly EndedSpan[],
): Promise<SpanEnd[]> =>
  Promise.all(
    spans.map(async ({ statusMessage, ...span }) => {
      // A message may contain a tool's output, so it is content.
      const message = statusMessage === undefined ? [] : [masked(statusMessageKey, statusMessage, (text) => text)]
      const attributes = [...span.attributes, ...message]
      return { ...span, ...(await store(tx, tenantId, { ...span, attributes, traceId })) }
    }),
  )

/** Reads the tenant's key only for a span with sensitive values or content. */
async function store(
  tx: Transaction,
  tenantId: string,
  span: { traceId: string; spanId: string; attributes: Attributes },
) {
  if (span.attributes.every((attribute) => attribute.class === undefined && attribute.view === undefined))
    return { attributes: span.attributes, sealed: null }
  const { attributes, sealed } = encryptSpan(await tenantCipher(tx, tenantId), span, span)
  return { attributes, sealed: bytesText(sealed) }
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
