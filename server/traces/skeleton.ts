import type { TraceSkeleton } from '#lib/schemas/traces.ts'

export type SkeletonRow = {
  spanId: string
  parentSpanId: string | null
  name: string
  kind: string
  status: string
  /** Microseconds since the epoch. */
  started: number
  ended: number | null
}

/**
 * Returns a trace in columns, in pre-order: a span's descendants are the rows after it, up to `end`. A span whose parent is
 * missing (or that would be its own ancestor) is at the top level. Children are in the order of their start.
 */
export function skeletonOf(rows: readonly SkeletonRow[]): TraceSkeleton {
  const byId = new Map(rows.map((row, index) => [row.spanId, index]))
  const children = new Map<number, number[]>()
  const roots: number[] = []
  for (const [index, row] of rows.entries()) {
    const parent = row.parentSpanId === null ? undefined : byId.get(row.parentSpanId)
    if (parent === undefined || parent === index) roots.push(index)
    else {
      const siblings = children.get(parent)
      if (siblings === undefined) children.set(parent, [index])
      else siblings.push(index)
    }
  }
  const begins = (a: number, b: number) => (rows[a]?.started ?? 0) - (rows[b]?.started ?? 0) || a - b
  const base = rows.reduce((least, row) => Math.min(least, row.started), rows[0]?.started ?? 0)
  const names = new Map<string, number>()
  const skeleton: TraceSkeleton = {
    startedAt: new Date(base / 1000).toISOString(),
    names: [],
    spanIds: [],
    name: [],
    start: [],
    duration: [],
    parent: [],
    end: [],
    depth: [],
    kind: [],
    status: [],
    missingParents: [],
  }
  const seen = new Set<number>()
  /** With an explicit stack, because a trace may be as deep as it has spans. */
  const walk = (root: number) => {
    const stack: { index: number; parent: number; depth: number; close?: number }[] = [
      { index: root, parent: -1, depth: 0 },
    ]
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.close !== undefined) {
        skeleton.end[top.close] = skeleton.name.length
        continue
      }
      const row = rows[top.index]
      if (row === undefined || seen.has(top.index)) continue
      seen.add(top.index)
      const place = skeleton.name.length
      const known = names.get(row.name) ?? skeleton.names.push(row.name) - 1
      names.set(row.name, known)
      skeleton.spanIds.push(row.spanId)
      skeleton.name.push(known)
      skeleton.start.push(row.started - base)
      skeleton.duration.push(row.ended === null ? -1 : row.ended - row.started)
      skeleton.parent.push(top.parent)
      skeleton.end.push(place + 1)
      skeleton.depth.push(top.depth)
      skeleton.kind.push(row.kind)
      skeleton.status.push(row.status)
      if (row.parentSpanId !== null && !byId.has(row.parentSpanId))
        skeleton.missingParents.push({ row: place, parentId: row.parentSpanId })
      stack.push({ ...top, close: place })
      for (const child of (children.get(top.index) ?? []).sort(begins).reverse())
        stack.push({ index: child, parent: place, depth: top.depth + 1 })
    }
  }
  for (const root of roots.sort(begins)) walk(root)
  // The remaining spans form circles. Tracers don't create these, but anyone can send them.
  for (const index of rows.keys()) if (!seen.has(index)) walk(index)
  return skeleton
}
