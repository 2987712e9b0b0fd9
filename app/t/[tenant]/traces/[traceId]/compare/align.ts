import { at, type SpanTree } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'

export type Side = { spans: readonly TraceSpan[]; tree: SpanTree }

/**
 * Two traces as one tree in reading order. Each row is its own index, so `spanAt` and `rowOf` are the identity; `left` and `right`
 * are the spans of the row, or -1 for a span that the other trace lacks.
 */
export type Alignment = SpanTree & { left: Int32Array; right: Int32Array }

const NONE = -1

/** Rows of the two trees. */
type Pair = [left: number, right: number]
type Waiting = { pair: Pair; depth: number; parent: number }

/**
 * Pairs spans by the path of their names and kinds, and their order among siblings with the same name: the second call of a tool
 * below a span is compared with the second call below its partner. Siblings with different names may run in any order. Linear in the
 * number of spans.
 */
export function align(left: Side, right: Side): Alignment {
  const most = left.spans.length + right.spans.length
  const [lefts, rights] = [new Int32Array(most), new Int32Array(most)]
  const [depth, end, parent] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)]
  let rows = 0
  const roots = pairsOf(childrenOf(left.tree, NONE), childrenOf(right.tree, NONE), left, right, true)
  const waiting: (Waiting | { close: number })[] = []
  const wait = (pairs: Pair[], depthOf: number, parentRow: number) => {
    for (const pair of pairs.reverse()) waiting.push({ pair, depth: depthOf, parent: parentRow })
  }
  wait(roots, 0, NONE)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('close' in next) {
      end[next.close] = rows
      continue
    }
    const row = rows++
    const [leftRow, rightRow] = next.pair
    lefts[row] = leftRow === NONE ? NONE : at(left.tree.spanAt, leftRow)
    rights[row] = rightRow === NONE ? NONE : at(right.tree.spanAt, rightRow)
    depth[row] = next.depth
    parent[row] = next.parent
    waiting.push({ close: row })
    const below = pairsOf(
      leftRow === NONE ? [] : childrenOf(left.tree, leftRow),
      rightRow === NONE ? [] : childrenOf(right.tree, rightRow),
      left,
      right,
    )
    wait(below, next.depth + 1, row)
  }
  const identity = Int32Array.from({ length: rows }, (_, row) => row)
  const used = (values: Int32Array) => values.subarray(0, rows)
  return {
    spanAt: identity,
    rowOf: identity,
    depth: used(depth),
    end: used(end),
    parent: used(parent),
    left: used(lefts),
    right: used(rights),
  }
}

/** Rows of the spans directly below a row, or of the roots. */
function childrenOf(tree: SpanTree, row: number): number[] {
  const last = row === NONE ? tree.spanAt.length : at(tree.end, row)
  const children: number[] = []
  for (let child = row + 1; child < last; child = at(tree.end, child)) children.push(child)
  return children
}

/** In the order of the right trace; what only the left one has follows its predecessor there. */
function pairsOf(lefts: number[], rights: number[], left: Side, right: Side, roots = false): Pair[] {
  if (rights.length === 0) return lefts.map((row) => [row, NONE])
  if (lefts.length === 0) return rights.map((row) => [NONE, row])
  // The two runs, whatever they are called.
  if (roots && lefts.length === 1 && rights.length === 1) return [[lefts[0] ?? NONE, rights[0] ?? NONE]]
  const unpaired = new Map<string, number[]>()
  for (const row of rights.toReversed()) {
    const key = keyOf(right, row)
    const same = unpaired.get(key)
    if (same === undefined) unpaired.set(key, [row])
    else same.push(row)
  }
  const partner = new Map<number, number>()
  /** What only the left trace has, by the paired row of the right one before it. */
  const after = new Map<number, Pair[]>()
  let before = NONE
  for (const row of lefts) {
    const found = unpaired.get(keyOf(left, row))?.pop()
    if (found !== undefined) {
      partner.set(found, row)
      before = found
    } else {
      const others = after.get(before)
      if (others === undefined) after.set(before, [[row, NONE]])
      else others.push([row, NONE])
    }
  }
  return [
    ...(after.get(NONE) ?? []),
    ...rights.flatMap((row): Pair[] => [[partner.get(row) ?? NONE, row], ...(after.get(row) ?? [])]),
  ]
}

function keyOf({ spans, tree }: Side, row: number): string {
  const span = spans[at(tree.spanAt, row)]
  return span === undefined ? '' : `${span.kind} ${span.name}`
}
