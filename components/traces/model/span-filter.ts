import type { SpanKind } from '#lib/schemas/traces.ts'
import { at, type SpanTree } from './span-tree.ts'
import type { TraceSpan } from './trace-span.ts'

/** The filters of the reader. Without any, every span matches. */
export type SpanFilter = {
  /** Part of the name, case-insensitive. */
  text: string
  kinds: ReadonlySet<SpanKind>
  errorsOnly: boolean
  /** Only these spans, by index. */
  among: ReadonlySet<number> | undefined
  /** Only spans that ran in this period, in epoch milliseconds. */
  during: { from: number; to: number } | undefined
}

/** Returns whether each span matches, by index, or undefined without filters. */
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

/** Returns the rows that match and their ancestors, which show the position of a match in the tree. */
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

/** Returns the next matching span after a row in reading order; after the last one, the first. */
export function nextAfter(tree: SpanTree, row: number, matches: (span: number) => boolean): number | undefined {
  return tree.spanAt.subarray(row + 1).find(matches) ?? tree.spanAt.find(matches)
}
