'use client'

import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { classNames } from './class-names.ts'
import { useWhilePressed } from './use-while-pressed.ts'

export type Column<Row> = {
  key: string
  header: ReactNode
  cell: (row: Row, selected: boolean) => ReactNode
  /** `end` is for figures. */
  align?: 'start' | 'end'
  /** The cell that names the row, for screen readers. One per table. In a stacked row it is the first line, without its header. */
  rowHeader?: boolean
  /** In a stacked row, at the end of the first line instead of a line of its own: what selects the row. */
  corner?: boolean
}

/** Rows under a heading of their own. */
export type Section<Row> = { key: string; heading: ReactNode; rows: Row[] }

type DataTableProps<Row> = {
  /** The content of the table, for screen readers only. */
  caption: string
  columns: Column<Row>[]
  /** All rows, or rows in sections. */
  rows: Row[] | { sections: Section<Row>[] }
  rowKey: (row: Row) => string
  /** 13/18 text and tight rows. */
  dense?: boolean
  /** Layout below a width of 480 px: a block of names and values per row, or a table that scrolls sideways. */
  narrow?: 'stack' | 'scroll'
  isSelected?: (row: Row) => boolean
}

/**
 * A ruled table. If it is too wide for its container, it scrolls sideways, also by keyboard. While a pointer is pressed on it,
 * it keeps its rows and columns.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rowKey, dense = false, narrow = 'stack', isSelected } = props
  const [{ columns, rows }, press] = useWhilePressed({ columns: props.columns, rows: props.rows })
  const sections = Array.isArray(rows) ? [{ key: 'all', heading: undefined, rows }] : rows.sections
  const { ref, overflows } = useOverflow()
  const stack = narrow === 'stack'
  const scrolling = overflows ? { role: 'region', 'aria-label': t.scrolls({ caption }), tabIndex: 0 } : {}
  return (
    // A scrollable area must be reachable by keyboard (WCAG 2.1.1).
    <div ref={ref} {...press} {...scrolling} className="@container relative overflow-x-auto">
      <table className={classNames('w-full border-collapse text-left', stack && '@max-[30rem]:block')}>
        <caption className="sr-only">{caption}</caption>
        <thead className={stack ? '@max-[30rem]:sr-only' : undefined}>
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
        {sections.map((section) => (
          <tbody
            key={section.key}
            className={stack ? '@max-[30rem]:block @max-[30rem]:border-line @max-[30rem]:border-t' : undefined}
          >
            {section.heading !== undefined && (
              <tr className={classNames('border-line border-b bg-sunken', stack && '@max-[30rem]:block')}>
                <th
                  scope="rowgroup"
                  colSpan={columns.length}
                  className={classNames('py-1 pr-2 text-left font-normal', stack && '@max-[30rem]:block')}
                >
                  {section.heading}
                </th>
              </tr>
            )}
            {section.rows.map((row) => (
              <TableRow
                key={rowKey(row)}
                columns={columns}
                row={row}
                selected={isSelected?.(row) ?? false}
                dense={dense}
                stack={stack}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

type RowProps<Row> = { columns: Column<Row>[]; row: Row; selected: boolean; dense: boolean; stack: boolean }

/** A row is drawn again only when it, its selection or the columns change: a table may have hundreds. */
const TableRow = memo(function TableRow<Row>({ columns, row, selected, dense, stack }: RowProps<Row>) {
  return (
    <tr
      className={classNames(
        'border-line border-b',
        stack && '@max-[30rem]:relative @max-[30rem]:flex @max-[30rem]:flex-col @max-[30rem]:py-2',
        selected && 'bg-selected',
      )}
    >
      {columns.map((column) => (
        <Cell key={column.key} column={column} row={row} selected={selected} dense={dense} stack={stack} />
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

type CellProps<Row> = Omit<RowProps<Row>, 'columns'> & { column: Column<Row> }

function Cell<Row>({ column, row, selected, dense, stack }: CellProps<Row>) {
  const content = column.cell(row, selected)
  const empty = content === undefined || content === null || content === ''
  const named = column.rowHeader !== true && column.corner !== true
  const className = classNames(
    'pr-4 align-baseline font-normal last:pr-0',
    dense ? 'py-1 text-dense' : 'py-1.5',
    column.align !== 'end' ? 'text-left' : stack ? 'text-left @[30rem]:text-right' : 'text-right',
    stack && column.rowHeader && '@max-[30rem]:-order-1 @max-[30rem]:py-0.5 @max-[30rem]:pr-12 @max-[30rem]:text-base',
    stack && column.corner && '@max-[30rem]:absolute @max-[30rem]:top-1 @max-[30rem]:right-0 @max-[30rem]:p-0',
    stack &&
      named &&
      '@max-[30rem]:grid @max-[30rem]:grid-cols-[7.5rem_minmax(0,1fr)] @max-[30rem]:gap-x-3 @max-[30rem]:px-0 @max-[30rem]:py-0.5',
    stack && (empty ? '@max-[30rem]:hidden' : '@max-[30rem]:has-[>div:empty]:hidden'),
  )
  const label = stack && named && (
    <span aria-hidden="true" className="text-dense text-ink-2 @[30rem]:hidden">
      {column.header}
    </span>
  )
  const value = stack ? <div className="wrap-break-word min-w-0">{content}</div> : content
  return column.rowHeader ? (
    <th scope="row" className={className}>
      {label}
      {value}
    </th>
  ) : (
    <td className={className}>
      {label}
      {value}
    </td>
  )
}

function useOverflow() {
  const ref = useRef<HTMLDivElement>(null)
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
