import type { TimeWindow } from '#components/traces/grid/use-trace-filter.ts'
import { at, type SpanTree } from './span-tree.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'
import type { TraceSpan } from './trace-span.ts'

/** The data of each row, by span index. Times are epoch milliseconds; an open span ends at `now`. */
export type TraceLayout = {
  spans: readonly TraceSpan[]
  tree: SpanTree
  axis: TimeAxis
  startedAt: Float64Array
  endedAt: Float64Array
  /** Of the whole trace, even if the axis covers only a part. */
  beganAt: number
  overAt: number
}

/** `within` is the index of a span, whose subtree the axis covers, or a period in milliseconds after the start of the trace. */
export function traceLayout(
  spans: readonly TraceSpan[],
  tree: SpanTree,
  now: number,
  within?: number | TimeWindow,
): TraceLayout {
  const startedAt = Float64Array.from(spans, (span) => span.startedAt)
  const latest = spans.reduce((latest, span, index) => Math.max(latest, at(startedAt, index), span.endedAt ?? 0), now)
  const endedAt = Float64Array.from(spans, (span) => span.endedAt ?? latest)
  const beganAt = startedAt.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY)
  const shown =
    typeof within === 'object'
      ? timesBetween(beganAt + within.from, beganAt + within.to, times(tree.spanAt, startedAt, endedAt))
      : times(within === undefined ? tree.spanAt : subtree(tree, within), startedAt, endedAt)
  return { spans, tree, axis: timeAxis(shown), startedAt, endedAt, beganAt, overAt: latest }
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

function* timesBetween(from: number, to: number, all: Iterable<number>): Generator<number> {
  yield from
  yield to
  for (const time of all) if (time > from && time < to) yield time
}
