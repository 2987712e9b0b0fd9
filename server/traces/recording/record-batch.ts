import type { JsonObject } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { rootOfRow } from '#server/audit/tree/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { Pace } from '#server/kernel/pace.ts'
import { BatchColumns, type SpanOfBatch } from './batch-columns.ts'
import {
  type BatchRow,
  type BatchTrace,
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
  /** The name that the agent states, otherwise the service. */
  agent: string | undefined
  /** The name of the service in the span's resource. */
  service: string | undefined
  content: string
}

export type Recorded = {
  added: number
  /** Spans that already existed with the same content. */
  repeated: number
  /** Spans whose id belongs to a different span. */
  conflicting: number
  /** Spans of traces of other agents than `agents`. */
  outside: number
  traces: number
  /** The root of the tree of the added spans' leaves, in hex; undefined if none were added. */
  root: string | undefined
}

/** The data of a span that is still needed after it has been written. */
type Kept = Pick<
  TelemetrySpan,
  'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'status' | 'agent' | 'service'
> &
  Pick<TelemetrySpan, 'startedMicros' | 'endedMicros'> & {
    fingerprint: Buffer
    /** Whether the span itself states the agent's name. */
    isNamed: boolean
    resource: number | null
    wanted: boolean
  }

/**
 * Adds spans to their traces, which are created if missing. Existing spans are never changed: a repeated span is not added, and
 * a different span with the same id counts as conflicting. Locks the traces until commit. `auditId` is the record that the
 * caller writes with `root`. Each span is written as soon as `spans` yields it, so that a large batch is never in memory as
 * objects. `agents`: the only agents to whose existing traces spans may be added.
 */
export async function recordBatch(
  tx: Transaction,
  tenantId: string,
  auditId: string,
  spans: Iterable<TelemetrySpan>,
  agents?: readonly string[],
): Promise<Recorded> {
  const none = { added: 0, repeated: 0, conflicting: 0, outside: 0, traces: 0, root: undefined }
  const cipher = await tenantCipher(tx, tenantId)
  const columns = new BatchColumns(cipher, auditId)
  const kept = new Map<string, Kept>()
  let repeated = 0
  let conflicting = 0
  const pace = new Pace()
  for (const span of spans) {
    if (pace.due()) await pace.rest()
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
  let outside = 0
  if (agents !== undefined)
    for (const span of all) {
      const { made, agentName } = traceOf(span)
      if (made || (agentName !== null && agents.includes(agentName))) continue
      span.wanted = false
      outside += 1
    }
  const candidates = all.flatMap((span) => {
    const { made, day } = traceOf(span)
    return made ? [] : [{ traceId: span.traceId, spanId: span.spanId, day }]
  })
  for (const known of await findKnownSpans(tx, tenantId, candidates)) {
    const again = kept.get(keyOf(known))
    if (again === undefined || !again.wanted) continue
    again.wanted = false
    // After an erasure the content can't be compared, and a repeated span must not be stored again.
    const same = known.fingerprint === null || again.fingerprint.equals(known.fingerprint)
    if (known.origin === 'telemetry' && same) repeated += 1
    else conflicting += 1
  }
  const added = all.filter(({ wanted }) => wanted)
  if (added.length === 0) return { ...none, repeated, conflicting, outside }

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
  await noteAgents(tx, tenantId, agentsOf(added, kept))
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
  const root = rootOfRow(leaves).toString('hex')
  return { added: added.length, repeated, conflicting, outside, traces: growth.length, root }
}

function keep(
  { traceId, spanId, parentSpanId, kind, status, facts, agent, service, startedMicros, endedMicros }: TelemetrySpan,
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
    service,
    startedMicros,
    endedMicros,
    fingerprint,
    resource,
    isNamed: agent !== undefined && facts.agent === agent,
    wanted: true,
  }
}

const keyOf = ({ traceId, spanId }: { traceId: string; spanId: string }): string => traceId + spanId

/**
 * The agent of a trace: that of its root. Until the root arrives, it is the service of the resource, because a child may
 * name another agent that works for it; without a service, it is the first agent that a span names.
 */
export function agentOfTrace(
  spans: readonly { parentSpanId: string | null; agent: string | undefined; service: string | undefined }[],
): string | undefined {
  const root = spans.find((span) => span.parentSpanId === null)
  return (
    root?.agent ??
    spans.find(({ service }) => service !== undefined)?.service ??
    spans.find(({ agent }) => agent !== undefined)?.agent
  )
}

/** The name of a trace: that of its root, or of its first span until the root arrives. */
const tracesOf = (spans: readonly Kept[]): BatchTrace[] =>
  [...byTraceOf(spans)].map(([traceId, of]) => {
    const agent = agentOfTrace(of)
    return {
      traceId,
      name: (of.find(({ parentSpanId }) => parentSpanId === null) ?? of[0])?.name ?? '',
      agentName: agent === undefined ? null : nameable(agent),
      startedMicros: earliest(of),
    }
  })

const earliest = (spans: readonly Kept[]): number =>
  spans.reduce((least, span) => Math.min(least, span.startedMicros), Number.POSITIVE_INFINITY)

function byTraceOf(spans: readonly Kept[]): Map<string, Kept[]> {
  const byTrace = new Map<string, Kept[]>()
  for (const span of spans) {
    const list = byTrace.get(span.traceId)
    if (list === undefined) byTrace.set(span.traceId, [span])
    else list.push(span)
  }
  return byTrace
}

/** `known`: the answers for spans that were visited before. */
function nameFrom(
  span: Kept,
  batch: ReadonlyMap<string, Kept>,
  known: Map<Kept, string | undefined>,
): string | undefined {
  const path: Kept[] = []
  let name: string | undefined
  // A span that is visited twice is its own ancestor.
  for (let at: Kept | undefined = span; at !== undefined; ) {
    if (known.has(at)) {
      name = known.get(at)
      break
    }
    path.push(at)
    known.set(at, undefined)
    if (at.isNamed || at.parentSpanId === null) {
      name = at.agent
      break
    }
    at = batch.get(keyOf({ traceId: at.traceId, spanId: at.parentSpanId }))
  }
  for (const one of path) known.set(one, name)
  return name
}

/** At most this many names from one batch, because names that always differ would fill the list. */
const maxAgents = 100

const growthOf = (spans: readonly Kept[]): TraceGrowth[] =>
  [...byTraceOf(spans)].map(([traceId, of]) => {
    const root = of.find((span) => span.parentSpanId === null)
    const agent = agentOfTrace(of)
    return {
      traceId,
      spans: of.length,
      errors: of.filter((span) => span.status === 'error').length,
      kinds: [...new Set(of.map((span) => span.kind))],
      search: [...new Set(of.map((span) => span.name.toLowerCase()))].join('\n').slice(0, 4000).toWellFormed(),
      agents: [...new Set(of.flatMap((span) => span.agent ?? []))].slice(0, maxAgents).map(nameable),
      agent: agent === undefined ? null : nameable(agent),
      startedMicros: earliest(of),
      root: root && {
        name: root.name,
        agent: root.agent === undefined ? null : nameable(root.agent),
        endedMicros: root.endedMicros,
      },
    }
  })

/**
 * The agents that the spans are of, each with a trace. A span without a name is of its nearest ancestor with one, because the
 * conventions name an agent on the span of its invocation alone; without any, of the root's service. While its ancestors have not
 * arrived, it names none: most exporters send children first, and the service would be listed next to the agent that it runs.
 */
function agentsOf(spans: readonly Kept[], batch: ReadonlyMap<string, Kept>): { name: string; traceId: string }[] {
  const known = new Map<Kept, string | undefined>()
  const found = new Map<string, string>()
  for (const span of spans) {
    const agent = nameFrom(span, batch, known)
    if (agent !== undefined && found.size < maxAgents) found.set(nameable(agent), span.traceId)
  }
  return [...found].map(([name, traceId]) => ({ name, traceId }))
}
