import type { SpanKind } from '#lib/schemas/traces.ts'
import { at, type SpanTree } from './span-tree.ts'
import type { TraceSpan } from './trace-span.ts'

/** What the reader looks for. Nothing set: everything matches. */
export type SpanFilter = {
  /** Part of the name, in any case. */
  text: string
  kinds: ReadonlySet<SpanKind>
  errorsOnly: boolean
  /** Only these spans, by index. */
  among: ReadonlySet<number> | undefined
  /** Only what ran in this stretch, in epoch milliseconds. */
  during: { from: number; to: number } | undefined
}

/** Whether each span matches, by index; undefined when everything does. */
export function matching(spans: readonly TraceSpan[], filter: SpanFilter): Uint8Array | undefined {
  const text = filter.text.trim().toLowerCase()
  const { kinds, errorsOnly, among, during } = filter
  if (text === '' && kinds.size === 0 && !errorsOnly && among === undefined && during === undefined) return undefined
  return Uint8Array.from(spans, (span, index) =>
    (text === '' || span.name.toLowerCase().includes(text)) &&
    (kinds.size === 0 || kinds.has(span.kind)) &&
    (!errorsOnly || span.status === 'error') &&
    (among === undefined || among.has(index)) &&
    (during === undefined || (span.startedAt <= during.to && (span.endedAt ?? Number.POSITIVE_INFINITY) >= during.from))
      ? 1
      : 0,
  )
}

/** Of `rows`, those that match or lead to one that does: without its ancestors nobody could tell where a span stands. */
export function rowsThatLead(rows: Int32Array, tree: SpanTree, matches: Uint8Array): Int32Array {
  const leads = new Uint8Array(tree.spanAt.length)
  for (let row = leads.length - 1; row >= 0; row--) {
    if (matches[at(tree.spanAt, row)] === 1) leads[row] = 1
    const parent = at(tree.parent, row)
    if (leads[row] === 1 && parent >= 0) leads[parent] = 1
  }
  return rows.filter((row) => leads[row] === 1)
}

export const countOf = (matches: Uint8Array): number => matches.reduce((sum, one) => sum + one, 0)

/** The next matching span after a row in reading order, from the top again after the last one. */
export function nextAfter(tree: SpanTree, row: number, matches: (span: number) => boolean): number | undefined {
  return tree.spanAt.subarray(row + 1).find(matches) ?? tree.spanAt.find(matches)
}
