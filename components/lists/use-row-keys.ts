'use client'

import { useRef } from 'react'
import { type Action, useActions } from '#components/actions/registry.ts'
import type { Selection } from './use-selection.ts'

type RowKeys<Row> = {
  /** As in "Next request". */
  noun: string
  /** In the order of the rows. */
  shown: readonly Row[]
  idOf: (row: Row) => string
  selection: Selection<Row>
  /** What can be done with the selected rows. */
  actions: readonly Action[]
}

/** The attribute of the link in a row, whose value is the row's id. */
export const rowAttribute = 'data-row'

/** Moving between the links of rows (Enter opens one), selecting and searching. */
export function useRowKeys<Row>({ noun, shown, idOf, selection, actions }: RowKeys<Row>): void {
  const anchor = useRef<string>(undefined)
  const focused = () => {
    const current = document.activeElement?.closest('tr')?.querySelector(`[${rowAttribute}]`)
    return shown.findIndex((row) => idOf(row) === current?.getAttribute(rowAttribute))
  }
  const select = (upToHere: boolean) => {
    const at = focused()
    const row = shown[at]
    if (row === undefined) return
    const from = upToHere ? shown.findIndex((one) => idOf(one) === anchor.current) : -1
    const rows = from < 0 ? [row] : shown.slice(Math.min(from, at), Math.max(from, at) + 1)
    selection.set(rows, from >= 0 || !selection.has(row))
    anchor.current = idOf(row)
  }
  const focusRow = (row: Row | undefined) => {
    const link = row && document.querySelector<HTMLElement>(`[${rowAttribute}="${idOf(row)}"]`)
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
  }
  useActions([
    {
      title: `Next ${noun}`,
      key: 'j',
      keyOnly: true,
      run: () => focusRow(shown[Math.min(focused() + 1, shown.length - 1)]),
    },
    { title: `Previous ${noun}`, key: 'k', keyOnly: true, run: () => focusRow(shown[Math.max(focused() - 1, 0)]) },
    { title: `Select the ${noun}`, key: 'x', keyOnly: true, run: () => select(false) },
    { title: `Select all up to this ${noun}`, key: 'shift+x', keyOnly: true, run: () => select(true) },
    {
      title: `Search in the ${noun}s`,
      key: '/',
      run: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    },
    ...actions,
    {
      title: 'Clear the selection',
      key: 'escape',
      blocked: selection.rows.length === 0 ? `No ${noun} is selected.` : undefined,
      run: selection.clear,
    },
  ])
}
