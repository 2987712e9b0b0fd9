import type { Span, SpanKind, TraceSkeleton } from '#lib/schemas/traces.ts'

/** A span in the waterfall, without attributes and events, which are loaded on selection. Times are epoch milliseconds. */
export type TraceSpan = {
  spanId: string
  parentSpanId: string | null
  name: string
  kind: SpanKind
  status: Span['status']
  startedAt: number
  /** Null while the span is open. */
  endedAt: number | null
}

const kinds: ReadonlySet<string> = new Set<SpanKind>([
  'workflow',
  'agent',
  'model',
  'tool',
  'policy',
  'approval',
  'wait',
  'other',
])
const isKind = (kind: string): kind is SpanKind => kinds.has(kind)
const isStatus = (status: string): status is Span['status'] => status === 'ok' || status === 'error'

/** Converts the spans of a skeleton, in its order. Its columns are microseconds after the start of the trace. */
export function spansOfSkeleton(skeleton: TraceSkeleton): TraceSpan[] {
  const startedAt = Date.parse(skeleton.startedAt)
  const missing = new Map(skeleton.missingParents.map(({ row, parentId }) => [row, parentId]))
  return skeleton.spanIds.map((spanId, row) => {
    const begun = startedAt + (skeleton.start[row] ?? 0) / 1000
    const duration = skeleton.duration[row] ?? -1
    const kind = skeleton.kind[row] ?? ''
    const status = skeleton.status[row] ?? ''
    return {
      spanId,
      parentSpanId: skeleton.spanIds[skeleton.parent[row] ?? -1] ?? missing.get(row) ?? null,
      name: skeleton.names[skeleton.name[row] ?? -1] ?? '',
      kind: isKind(kind) ? kind : 'other',
      status: isStatus(status) ? status : 'unset',
      startedAt: begun,
      endedAt: duration < 0 ? null : begun + duration / 1000,
    }
  })
}

/** Converts a span of the stream, dropping attributes and events. */
export const withoutDetails = ({ spanId, parentSpanId, name, kind, status, startedAt, endedAt }: Span): TraceSpan => ({
  spanId,
  parentSpanId,
  name,
  kind,
  status,
  startedAt: Date.parse(startedAt),
  endedAt: endedAt === null ? null : Date.parse(endedAt),
})
