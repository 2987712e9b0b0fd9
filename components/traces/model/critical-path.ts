import { at, type SpanTree } from './span-tree.ts'

/**
 * The spans that decided how long the trace took, by span index: from the root that ended last backwards in time, always
 * into the child that ended last before the current moment. Making any other span faster would not shorten the trace.
 */
export function criticalPath(tree: SpanTree, startedAt: Float64Array, endedAt: Float64Array): ReadonlySet<number> {
  const path = new Set<number>()
  const { spanAt, end } = tree
  const childrenOf = (row: number): number[] => {
    const children: number[] = []
    for (let child = row + 1; child < at(end, row); child = at(end, child)) children.push(child)
    return children
  }
  const roots: number[] = []
  for (let row = 0; row < spanAt.length; row = at(end, row)) roots.push(row)
  const ends = (row: number) => at(endedAt, at(spanAt, row))
  const latestFirst = (rows: number[]) => rows.sort((a, b) => ends(b) - ends(a))
  const [last] = latestFirst(roots)
  // An explicit stack, because a trace can be as deep as it has spans.
  const open: { row: number; until: number }[] = last === undefined ? [] : [{ row: last, until: ends(last) }]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    path.add(at(spanAt, top.row))
    let until = Math.min(top.until, ends(top.row))
    for (const child of latestFirst(childrenOf(top.row))) {
      const begun = at(startedAt, at(spanAt, child))
      if (ends(child) > until || begun >= until) continue
      open.push({ row: child, until })
      until = begun
    }
  }
  return path
}
