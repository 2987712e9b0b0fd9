import type { JsonObject } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { rootOfRow } from '#server/audit/tree/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { BatchColumns, type SpanOfBatch } from './batch-columns.ts'
import {
  type BatchRow,
  findKnownSpans,
  growTraces,
  insertBatch,
  insertResources,
  insertSpans,
  type LockedTrace,
  lockTraces,
  nameable,
  notAdded,
  noteAgents,
  type TraceGrowth,
} from './batch-store.ts'

/** A span of telemetry, which has ended. `content` is the text by which two deliveries of a span are compared. */
export type TelemetrySpan = SpanOfBatch & {
  kind: SpanKind
  status: 'unset' | 'ok' | 'error'
  facts: JsonObject
  /** The name that the agent states. */
  agent: string | undefined
  content: string
}

export type Recorded = {
  added: number
  /** Spans that already existed with the same content. */
  repeated: number
  /** Spans whose id belongs to a different span. */
  conflicting: number
  traces: number
  /** The root of the tree of the added spans' leaves, in hex; undefined if none were added. */
  root: string | undefined
}

/** The data of a span that is still needed after it has been written. */
type Kept = Pick<TelemetrySpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'status' | 'agent'> &
  Pick<TelemetrySpan, 'startedMicros' | 'endedMicros'> & {
    fingerprint: Buffer
    resource: number | null
    wanted: boolean
  }

/**
 * Adds spans to their traces, which are created if missing. Existing spans are never changed: a repeated span is not added, and
 * a different span with the same id counts as conflicting. Locks the traces until commit. `auditId` is the record that the
 * caller writes with `root`. Each span is written as soon as `spans` yields it, so that a large batch is never in memory as
 * objects.
 */
export async function recordBatch(
  tx: Transaction,
  tenantId: string,
  auditId: string,
  spans: Iterable<TelemetrySpan>,
): Promise<Recorded> {
  const none = { added: 0, repeated: 0, conflicting: 0, traces: 0, root: undefined }
  const cipher = await tenantCipher(tx, tenantId)
  const columns = new BatchColumns(cipher, auditId)
  const kept = new Map<string, Kept>()
  let repeated = 0
  let conflicting = 0
  for (const span of spans) {
    const key = keyOf(span)
    const fingerprint = cipher.fingerprint(span.content)
    const before = kept.get(key)
    if (before === undefined) kept.set(key, keep(span, fingerprint, columns.add(span)))
    else if (before.fingerprint.equals(fingerprint)) repeated += 1
    else conflicting += 1
  }
  if (kept.size === 0) return none
  const all = [...kept.values()]
  const locked = new Map((await lockTraces(tx, tenantId, tracesOf(all))).map((trace) => [trace.traceId, trace]))
  const traceOf = ({ traceId }: Kept): LockedTrace => {
    const trace = locked.get(traceId)
    if (trace === undefined) throw new Error(`unreachable: the trace ${traceId} was not locked`)
    return trace
  }
  const candidates = all.flatMap((span) => {
    const { made, day } = traceOf(span)
    return made ? [] : [{ traceId: span.traceId, spanId: span.spanId, day }]
  })
  for (const known of await findKnownSpans(tx, tenantId, candidates)) {
    const again = kept.get(keyOf(known))
    if (again === undefined) continue
    again.wanted = false
    // After an erasure the content can't be compared, and a repeated span must not be stored again.
    const same = known.fingerprint === null || again.fingerprint.equals(known.fingerprint)
    if (known.origin === 'telemetry' && same) repeated += 1
    else conflicting += 1
  }
  const added = all.filter(({ wanted }) => wanted)
  if (added.length === 0) return { ...none, repeated, conflicting }

  const numbers = new Map([...locked].map(([traceId, { changeCount }]) => [traceId, changeCount]))
  let index = 0
  const rows = all.map((span): BatchRow => {
    const change = (numbers.get(span.traceId) ?? 0) + 1
    if (span.wanted) numbers.set(span.traceId, change)
    return { ...span, day: traceOf(span).day, change, index: span.wanted ? index++ : notAdded }
  })
  const leaves = columns.leavesOf(all.map(({ wanted }) => wanted))
  await insertSpans(tx, tenantId, auditId, rows, columns.written())
  const growth = growthOf(added)
  await growTraces(tx, tenantId, growth)
  await noteAgents(tx, tenantId, agentsOf(added))
  const batch = {
    tenantId,
    auditId,
    day:
      added
        .map((span) => traceOf(span).day)
        .sort()
        .at(-1) ?? '',
  }
  await insertResources(tx, batch, columns.resourcesOf(new Set(added.map(({ resource }) => resource))))
  await insertBatch(tx, { ...batch, leaves })
  // The leaves have been written, so their row can be reused for the root.
  return { added: added.length, repeated, conflicting, traces: growth.length, root: rootOfRow(leaves).toString('hex') }
}

function keep(
  { traceId, spanId, parentSpanId, kind, status, agent, startedMicros, endedMicros }: TelemetrySpan,
  fingerprint: Buffer,
  { name, resource }: { name: string; resource: number | null },
): Kept {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    status,
    agent,
    startedMicros,
    endedMicros,
    fingerprint,
    resource,
    wanted: true,
  }
}

const keyOf = ({ traceId, spanId }: { traceId: string; spanId: string }): string => traceId + spanId

/** The name of a trace: that of its root, or of its first span until the root arrives. */
function tracesOf(spans: readonly Kept[]) {
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

/** At most this many names from one batch, because names that always differ would fill the list. */
const maxAgents = 100

function growthOf(spans: readonly Kept[]): TraceGrowth[] {
  const byTrace = new Map<string, Kept[]>()
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
      search: [...new Set(of.map((span) => span.name.toLowerCase()))].join('\n').slice(0, 4000).toWellFormed(),
      agents: [...new Set(of.flatMap((span) => span.agent ?? []))].slice(0, maxAgents).map(nameable),
      startedMicros: of.reduce((least, span) => Math.min(least, span.startedMicros), Number.POSITIVE_INFINITY),
      root: root && { name: root.name, endedMicros: root.endedMicros },
    }
  })
}

function agentsOf(spans: readonly Kept[]): { name: string; traceId: string }[] {
  const found = new Map<string, string>()
  for (const { agent, traceId } of spans)
    if (agent !== undefined && found.size < maxAgents) found.set(nameable(agent), traceId)
  return [...found].map(([name, traceId]) => ({ name, traceId }))
}
