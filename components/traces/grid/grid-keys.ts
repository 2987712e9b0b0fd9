import { at, placeOfRow, type SpanTree } from '#components/traces/model/span-tree.ts'

const KEYS = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'PageUp'] as const
export type GridKey = (typeof KEYS)[number]

export const isGridKey = (key: string): key is GridKey => (KEYS as readonly string[]).includes(key)

type Position = {
  tree: SpanTree
  rows: Int32Array
  isFolded: (span: number) => boolean
  /** Index of the active row in `rows`, which must not be empty. */
  place: number | undefined
  /** Rows per page. */
  page: number
}

/** Moves to a row, or folds or unfolds a span (by index). */
export type Move = { place: number } | { span: number; fold: boolean }

/** Returns what a key does in a treegrid (WAI-ARIA Authoring Practices: Right unfolds, then moves to the first child; Left is the reverse). */
export function moveBy(key: GridKey, { tree, rows, isFolded, place, page }: Position): Move {
  const last = rows.length - 1
  const bounded = (wanted: number): Move => ({ place: Math.max(0, Math.min(last, wanted)) })
  if (key === 'Home') return bounded(0)
  if (key === 'End') return bounded(last)
  if (place === undefined) return bounded(key === 'ArrowUp' || key === 'PageUp' ? last : 0)
  const row = at(rows, place)
  const span = at(tree.spanAt, row)
  const hasChildren = at(tree.end, row) > row + 1
  const parent = at(tree.parent, row)
  switch (key) {
    case 'ArrowDown':
      return bounded(place + 1)
    case 'ArrowUp':
      return bounded(place - 1)
    case 'PageDown':
      return bounded(place + page)
    case 'PageUp':
      return bounded(place - page)
    case 'ArrowRight':
      if (hasChildren && isFolded(span)) return { span, fold: false }
      return hasChildren ? bounded(place + 1) : { place }
    case 'ArrowLeft':
      if (hasChildren && !isFolded(span)) return { span, fold: true }
      return parent < 0 ? { place } : { place: placeOfRow(rows, parent) }
  }
}
