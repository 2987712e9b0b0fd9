'use client'

import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'
import { ROW_HEIGHT } from './span-row.tsx'

/** Extra rows above and below the visible ones, so that scrolling never shows a gap. */
const OVERSCAN = 6

/** Rows on paper, about 30 pages. */
const PRINTED = 2000

/** The rows that must be in the document: `count` from `first` on. A full viewport is assumed until it is measured. */
export type Viewport = { first: number; count: number; atEnd: boolean }

/** Follows the scroll position of an element with rows of fixed height; renders again only when the first visible row changes. */
export function useViewport(ref: RefObject<HTMLElement | null>, rows: number): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ first: 0, count: 40, atEnd: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the list depends on the number of rows.
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => {
      const { scrollTop, clientHeight, scrollHeight } = element
      const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN)
      const count = Math.ceil(clientHeight / ROW_HEIGHT) + 2 * OVERSCAN
      const atEnd = scrollTop + clientHeight >= scrollHeight - ROW_HEIGHT
      setViewport((before) =>
        before.first === first && before.count === count && before.atEnd === atEnd ? before : { first, count, atEnd },
      )
    }
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [ref, rows])
  const printing = useSyncExternalStore(onPrint, isPrinting, () => false)
  return printing ? { ...viewport, first: 0, count: Math.min(rows, PRINTED) } : viewport
}

const print = () => window.matchMedia('print')
const isPrinting = () => print().matches

/** A change of an external store is drawn immediately, before the browser lays out the printed page. */
function onPrint(changed: () => void): () => void {
  const query = print()
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
