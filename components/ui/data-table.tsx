'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

export type Column<Row> = {
  key: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  /** Figures stand at the end of their column. */
  align?: 'start' | 'end'
  /** The cell that names the row, for screen readers. One per table. */
  rowHeader?: boolean
}

type DataTableProps<Row> = {
  /** What the table lists; read out, not shown. */
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  /** 13/18 text and tight rows. */
  dense?: boolean
}

/** A ruled table. Where it is too wide for its place it scrolls by itself, by keyboard too. */
export function DataTable<Row>({ caption, columns, rows, rowKey, dense = false }: DataTableProps<Row>) {
  const { ref, overflows } = useOverflow()
  const cellLook = dense ? 'py-1 text-dense' : 'py-1.5'
  return (
    <section
      ref={ref}
      aria-label={caption}
      // What scrolls must be reachable by keyboard (WCAG 2.1.1).
      tabIndex={overflows ? 0 : undefined}
      className="overflow-x-auto"
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-line border-b">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={classNames(
                  'pr-4 pb-1.5 align-bottom font-normal text-dense text-ink-2 last:pr-0',
                  column.align === 'end' && 'text-right',
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="border-line border-b">
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} look={cellLook} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell<Row>({ column, row, look }: { column: Column<Row>; row: Row; look: string }) {
  const className = classNames('pr-4 align-baseline last:pr-0', look, column.align === 'end' && 'text-right')
  if (!column.rowHeader) return <td className={className}>{column.cell(row)}</td>
  return (
    <th scope="row" className={classNames(className, 'font-normal')}>
      {column.cell(row)}
    </th>
  )
}

function useOverflow() {
  const ref = useRef<HTMLElement>(null)
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return { ref, overflows }
}
