import type { TraceSpan } from './trace-span.ts'

/** The index of the span that failed first by itself: one whose children did not fail, the earliest of them. Undefined if none failed. */
export function firstError(spans: readonly TraceSpan[]): number | undefined {
  const passedOn = new Set(spans.flatMap(({ status, parentSpanId }) => (status === 'error' ? [parentSpanId] : [])))
  let first: number | undefined
  for (const [index, span] of spans.entries()) {
    if (span.status !== 'error' || passedOn.has(span.spanId)) continue
    if (first === undefined || span.startedAt < (spans[first]?.startedAt ?? 0)) first = index
  }
  // Spans can name each other as parents, so that each of them has a child that failed.
  return first ?? (passedOn.size === 0 ? undefined : spans.findIndex(({ status }) => status === 'error'))
}
