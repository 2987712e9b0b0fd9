import { classNames } from '#components/ui/text/class-names.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'

type TableSkeletonProps<Row> = {
  /** What is being loaded: "Loading approvals…". */
  label: InProgress
  columns: readonly Column<Row>[]
  rows?: number
  dense?: boolean
}

/** Lengths of what comes, so that the bars are not all alike. */
const lengths = ['w-3/5', 'w-4/5', 'w-2/5', 'w-1/2', 'w-3/4']

/** The table that comes, with its headings and empty rows; appears after 150 ms. */
export function TableSkeleton<Row>({ label, columns, rows = 8, dense = false }: TableSkeletonProps<Row>) {
  return (
    <div role="status" className="appear-late overflow-hidden">
      <span className="sr-only">{label}</span>
      <table aria-hidden="true" className="w-full border-collapse text-left">
        <thead className="max-narrow:hidden">
          <tr className="border-line border-b">
            {columns.map(({ key, header, align }) => (
              <th
                key={key}
                className={classNames(
                  'pr-4 pb-1.5 align-bottom font-normal text-dense text-ink-2 last:pr-0',
                  align === 'end' && 'text-right',
                )}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move.
            <tr key={row} className={classNames('border-line border-b', dense ? 'h-7.5' : 'h-8.5')}>
              {columns.map(({ key, align, rowHeader }, index) => (
                <td key={key} className={classNames('pr-4 last:pr-0', rowHeader !== true && 'max-narrow:hidden')}>
                  <div
                    className={classNames(
                      'h-3 bg-selected',
                      lengths[(row + index) % lengths.length],
                      align === 'end' && 'ml-auto',
                    )}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
