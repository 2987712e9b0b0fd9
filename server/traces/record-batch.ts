import type { JsonObject } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { treeRoot } from '#server/audit/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import type { RecordedAttribute, RecordedEvent } from './attributes.ts'
import {
  type BatchRow,
  findKnownSpans,
  growTraces,
  insertBatch,
  insertSpans,
  type LockedTrace,
  lockTraces,
  nameable,
  noteAgents,
  type TraceGrowth,
} from './batch-store.ts'
import { sealSpan } from './seal.ts'
import { spanLeaf } from './span-leaf.ts'

/** A span that telemetry tells of, ended. `content`: what two deliveries of the same span have in common, as text. */
export type TelemetrySpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: SpanKind
  status: 'unset' | 'ok' | 'error'
  attributes: RecordedAttribute[]
  events: RecordedEvent[]
  facts: JsonObject
  /** As the agent calls itself. */
  agent: string | undefined
  startedMicros: number
  endedMicros: number
  content: string
}

export type Recorded = {
  added: number
  /** Spans that were there already, exactly so. */
  repeated: number
  /** Spans whose id is another one's. */
  conflicting: number
  traces: number
  /** Root of the tree of the added spans' leaves, in hex; undefined when nothing was added. */
  root: string | undefined
}

/**
 * Adds spans to their traces, which are made where they are not there. What is there is never changed: the same span again
 * adds nothing, and another one under its id is told as conflicting. Holds the traces until commit. `auditId` is the record
 * that the caller writes with `root` in it.
 */
export async function recordBatch(
  tx: Transaction,
  tenantId: string,
  auditId: string,
  spans: readonly TelemetrySpan[],
): Promise<Recorded> {
  const none = { added: 0, repeated: 0, conflicting: 0, traces: 0, root: undefined }
  if (spans.length === 0) return none
  const sealer = await tenantSealer(tx, tenantId)
  const wanted = new Map<string, { span: TelemetrySpan; fingerprint: Buffer }>()
  let repeated = 0
  let conflicting = 0
  for (const span of spans) {
    const fingerprint = sealer.fingerprint(span.content)
    const before = wanted.get(keyOf(span))
    if (before === undefined) wanted.set(keyOf(span), { span, fingerprint })
    else if (before.fingerprint.equals(fingerprint)) repeated += 1
    else conflicting += 1
  }
  const locked = new Map((await lockTraces(tx, tenantId, tracesOf(spans))).map((trace) => [trace.traceId, trace]))
  const traceOf = (span: TelemetrySpan): LockedTrace => {
    const trace = locked.get(span.traceId)
    if (trace === undefined) throw new Error(`unreachable: the trace ${span.traceId} was not locked`)
    return trace
  }
  const candidates = [...wanted.values()].flatMap(({ span: { traceId, spanId }, span }) => {
    const { made, day } = traceOf(span)
    return made ? [] : [{ traceId, spanId, day }]
  })
  for (const known of await findKnownSpans(tx, tenantId, candidates)) {
    const again = wanted.get(keyOf(known))
    wanted.delete(keyOf(known))
    // After an erasure there is nothing left to compare with: what has been sent again is not taken up again.
    const same = known.fingerprint === null || again?.fingerprint.equals(known.fingerprint) === true
    if (known.origin === 'telemetry' && same) repeated += 1
    else conflicting += 1
  }
  if (wanted.size === 0) return { ...none, repeated, conflicting }

  const leaves: Buffer[] = []
  const numbers = new Map([...locked].map(([traceId, { changeCount }]) => [traceId, changeCount]))
  const rows = [...wanted.values()].map(({ span, fingerprint }): BatchRow => {
    const change = (numbers.get(span.traceId) ?? 0) + 1
    numbers.set(span.traceId, change)
    const { sealed, ...shown } = sealSpan(sealer, span, span)
    const name = nameable(span.name)
    leaves.push(spanLeaf({ ...span, ...shown, name }))
    return {
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      day: traceOf(span).day,
      name,
      kind: span.kind,
      status: span.status,
      attributes: JSON.stringify(shown.attributes),
      events: JSON.stringify(shown.events),
      facts: JSON.stringify(span.facts),
      sealed,
      fingerprint,
      startedMicros: span.startedMicros,
      endedMicros: span.endedMicros,
      change,
    }
  })
  const added = [...wanted.values()].map(({ span }) => span)
  await insertSpans(tx, tenantId, auditId, rows)
  const growth = growthOf(added)
  await growTraces(tx, tenantId, growth)
  await noteAgents(tx, tenantId, agentsOf(added))
  await insertBatch(tx, { tenantId, auditId, day: rows[0]?.day ?? '', leaves: Buffer.concat(leaves) })
  return { added: rows.length, repeated, conflicting, traces: growth.length, root: treeRoot(leaves).toString('hex') }
}

const keyOf = ({ traceId, spanId }: { traceId: string; spanId: string }): string => traceId + spanId

/** What a trace is called until its root comes: as its root, else as the first of its spans. */
function tracesOf(spans: readonly TelemetrySpan[]) {
  const traces = new Map<string, { traceId: string; name: string; agentName: string | null; startedMicros: number }>()
  for (const { traceId, parentSpanId, name, agent, startedMicros } of spans) {
    const trace = traces.get(traceId)
    if (trace === undefined) {
      traces.set(traceId, { traceId, name, agentName: agent ?? null, startedMicros })
      continue
    }
    if (parentSpanId === null) trace.name = name
    trace.agentName ??= agent ?? null
    trace.startedMicros = Math.min(trace.startedMicros, startedMicros)
  }
  return [...traces.values()]
}

/** At most this many names from one batch: a name that is different each time would fill the list. */
const maxAgents = 100

function growthOf(spans: readonly TelemetrySpan[]): TraceGrowth[] {
  const byTrace = new Map<string, TelemetrySpan[]>()
  for (const span of spans) {
    const list = byTrace.get(span.traceId)
    if (list === undefined) byTrace.set(span.traceId, [span])
    else list.push(span)
  }
  return [...byTrace].map(([traceId, of]) => {
    const root = of.find((span) => span.parentSpanId === null)
    return {
      traceId,
      spans: of.length,
      errors: of.filter((span) => span.status === 'error').length,
      kinds: [...new Set(of.map((span) => span.kind))],
      search: [...new Set(of.map((span) => nameable(span.name).toLowerCase()))]
        .join('\n')
        .slice(0, 4000)
        .toWellFormed(),
      agents: [...new Set(of.flatMap((span) => span.agent ?? []))].slice(0, maxAgents).map(nameable),
      startedMicros: of.reduce((least, span) => Math.min(least, span.startedMicros), Number.POSITIVE_INFINITY),
      root: root && { name: nameable(root.name), endedMicros: root.endedMicros },
    }
  })
}

function agentsOf(spans: readonly TelemetrySpan[]): { name: string; traceId: string }[] {
  const found = new Map<string, string>()
  for (const { agent, traceId } of spans)
    if (agent !== undefined && found.size < maxAgents) found.set(nameable(agent), traceId)
  return [...found].map(([name, traceId]) => ({ name, traceId }))
}
