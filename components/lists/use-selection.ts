'use client'

import { useCallback, useState } from 'react'

export type Selection<Row> = {
  /** The selected rows that are in the list. */
  rows: Row[]
  has: (row: Row) => boolean
  /** The same function at every rendering. */
  set: (rows: readonly Row[], selected: boolean) => void
  clear: () => void
}

/**
 * The selected rows. One that leaves the list, because it ended or no longer matches, is no longer selected. `idOf` must be the same
 * function at every rendering.
 */
export function useSelection<Row>(shown: readonly Row[], idOf: (row: Row) => string): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const has = (row: Row) => ids.has(idOf(row))
  const set = useCallback(
    (rows: readonly Row[], selected: boolean) => {
      setIds((before) => {
        const next = new Set(before)
        for (const row of rows)
          if (selected) next.add(idOf(row))
          else next.delete(idOf(row))
        return next
      })
    },
    [idOf],
  )
  return { rows: shown.filter(has), has, set, clear: () => setIds(new Set()) }
}
