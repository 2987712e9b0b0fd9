import { at, type SpanTree } from './span-tree.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'
import type { TraceSpan } from './trace-span.ts'

/** Everything that a row needs, by span index. Times are epoch milliseconds; an open span ends at `now`. */
export type TraceLayout = {
  spans: readonly TraceSpan[]
  tree: SpanTree
  axis: TimeAxis
  startedAt: Float64Array
  endedAt: Float64Array
}

/** `within` is a span index: the axis then covers that span's subtree only. */
export function traceLayout(spans: readonly TraceSpan[], tree: SpanTree, now: number, within?: number): TraceLayout {
  const startedAt = Float64Array.from(spans, (span) => span.startedAt)
  const latest = spans.reduce((latest, span, index) => Math.max(latest, at(startedAt, index), span.endedAt ?? 0), now)
  const endedAt = Float64Array.from(spans, (span) => span.endedAt ?? latest)
  const covered = within === undefined ? tree.spanAt : subtree(tree, within)
  return { spans, tree, axis: timeAxis(times(covered, startedAt, endedAt)), startedAt, endedAt }
}

function subtree({ rowOf, end, spanAt }: SpanTree, span: number): Int32Array {
  const row = at(rowOf, span)
  return spanAt.subarray(row, at(end, row))
}

function* times(covered: Int32Array, startedAt: Float64Array, endedAt: Float64Array): Generator<number> {
  for (const span of covered) {
    yield at(startedAt, span)
    yield at(endedAt, span)
  }
}
