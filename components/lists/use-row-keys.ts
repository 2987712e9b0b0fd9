'use client'

import { useRef } from 'react'
import { type Action, useActions } from '#components/actions/registry.ts'
import * as t from '#components/texts/lists/en.ts'
import type { Selection } from './use-selection.ts'

type RowKeys<Row> = {
  list: 'approvals' | 'executions'
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
export function useRowKeys<Row>({ list, shown, idOf, selection, actions }: RowKeys<Row>): void {
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
      title: t.next({ list }),
      key: 'j',
      keyOnly: true,
      run: () => focusRow(shown[Math.min(focused() + 1, shown.length - 1)]),
    },
    { title: t.previous({ list }), key: 'k', keyOnly: true, run: () => focusRow(shown[Math.max(focused() - 1, 0)]) },
    { title: t.select({ list }), key: 'x', keyOnly: true, run: () => select(false) },
    { title: t.selectTo({ list }), key: 'shift+x', keyOnly: true, run: () => select(true) },
    {
      title: t.search({ list }),
      key: '/',
      run: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    },
    ...actions,
    {
      title: t.clearSelection,
      key: 'escape',
      blocked: selection.rows.length === 0 ? t.noneSelected({ list }) : undefined,
      run: selection.clear,
    },
  ])
}
