// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.
'use client'

import { Fragment, type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { at, placeOfRow, type SpanTree } from '#components/traces/model/span-tree.ts'
import { isGridKey, moveBy } from './grid-keys.ts'
import { ROW_HEIGHT, type SpanRowProps } from './span-row.tsx'
import { useViewport } from './use-viewport.ts'

const HEADER_HEIGHT = 28

/** What every row of a treegrid needs. `span` is the index of what it shows. */
type GridRow = SpanRowProps & { span: number }

type TreeGridProps = {
  label: string
  tree: SpanTree
  /** Rows of the tree that are shown. */
  rows: Int32Array
  isFolded: (span: number) => boolean
  /** By span index. */
  selected: number | undefined
  onSelect: (span: number) => void
  onFold: (span: number, fold: boolean) => void
  onEscape: () => void
  /** Enter on the selected row, or a click on any. */
  onOpen: () => void
  /** The row of headers. */
  header: ReactNode
  /** Behind the rows. */
  backdrop?: ReactNode
  row: (row: GridRow) => ReactNode
  /** Scrolls to the last row whenever rows are added. */
  follow?: boolean
  /** Each new number scrolls to the last row. */
  followed?: number
  onAtEnd?: (atEnd: boolean) => void
}

/**
 * A treegrid that has only the visible rows in the document. Rows are keyed by slot, so that scrolling moves elements instead of
 * creating them. The grid keeps the focus and names its active row.
 */
export function TreeGrid(props: TreeGridProps) {
  const { label, tree, rows, isFolded, selected, onSelect, onFold, onEscape, onOpen, header, backdrop } = props
  const { follow = false, followed = 0, onAtEnd } = props
  const id = useId()
  const grid = useRef<HTMLDivElement>(null)
  const { first, count, atEnd } = useViewport(grid, rows.length)
  const active = selected === undefined ? undefined : placeOfRow(rows, at(tree.rowOf, selected))
  const last = Math.min(rows.length, first + count)
  const slotOf = (place: number) => `${id}-${place % count}`

  useEffect(() => onAtEnd?.(atEnd), [atEnd, onAtEnd])
  useEffect(() => {
    if (follow && grid.current && rows.length > 0) grid.current.scrollTop = grid.current.scrollHeight
  }, [follow, rows.length])
  useEffect(() => {
    if (followed > 0 && grid.current) grid.current.scrollTop = grid.current.scrollHeight
  }, [followed])
  useEffect(() => {
    if (active !== undefined && grid.current) scrollToPlace(grid.current, active)
  }, [active])

  function press(event: KeyboardEvent) {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'Escape') return onEscape()
    if (key === 'Enter' && selected !== undefined) {
      // Otherwise the same key would press the button that gets the focus.
      event.preventDefault()
      return onOpen()
    }
    if (!isGridKey(key) || rows.length === 0) return
    event.preventDefault()
    const page = Math.max(1, Math.floor(((grid.current?.clientHeight ?? 0) - HEADER_HEIGHT) / ROW_HEIGHT) - 1)
    const move = moveBy(key, { tree, rows, isFolded, place: active, page })
    if ('fold' in move) onFold(move.span, move.fold)
    else onSelect(at(tree.spanAt, at(rows, move.place)))
  }

  function click(event: MouseEvent<HTMLElement>) {
    const { target } = event
    if (!(target instanceof Element)) return
    const place = target.closest('[data-place]')?.getAttribute('data-place')
    if (place == null) return
    const span = at(tree.spanAt, at(rows, Number(place)))
    if (target.closest('[data-fold]') !== null) onFold(span, !isFolded(span))
    else {
      onSelect(span)
      onOpen()
    }
  }

  return (
    <div
      ref={grid}
      role="treegrid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active !== undefined && active >= first && active < last ? slotOf(active) : undefined}
      onKeyDown={press}
      onClick={click}
      className="relative max-h-[calc(100dvh-19rem)] min-h-40 wide:max-h-[calc(100dvh-25.5rem)] overflow-auto border-line border-y bg-surface print:max-h-none print:overflow-visible print:contain-none -outline-offset-2 contain-content"
    >
      {header}
      <div role="rowgroup" className="relative" style={{ height: rows.length * ROW_HEIGHT }}>
        {backdrop}
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const place = first + offset
          const row = at(rows, place)
          const span = at(tree.spanAt, row)
          return (
            <Fragment key={slotOf(place)}>
              {props.row({
                id: slotOf(place),
                span,
                place,
                depth: at(tree.depth, row),
                expanded: at(tree.end, row) === row + 1 ? undefined : !isFolded(span),
                selected: place === active,
              })}
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}

function scrollToPlace(grid: HTMLElement, place: number): void {
  const top = place * ROW_HEIGHT
  const room = grid.clientHeight - HEADER_HEIGHT
  if (top < grid.scrollTop) grid.scrollTop = top
  else if (top + ROW_HEIGHT > grid.scrollTop + room) grid.scrollTop = top + ROW_HEIGHT - room
}
