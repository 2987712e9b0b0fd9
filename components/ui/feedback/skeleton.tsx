import { classNames } from '#components/ui/text/class-names.ts'
import type { InProgress } from '#components/ui/text/in-progress.ts'

type SkeletonProps = {
  /** What is being loaded: "Loading approvals…". */
  label: InProgress
  /** Number of rows, like the expected content, so that the layout does not shift. */
  rows?: number
  /** Height of one row. */
  rowClass?: string
}

/** A placeholder for content that is loading; appears after 150 ms. */
export function Skeleton({ label, rows = 3, rowClass = 'h-9' }: SkeletonProps) {
  return (
    <div role="status" className="appear-late">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move.
        <div key={index} aria-hidden="true" className={classNames('flex items-center border-line border-b', rowClass)}>
          <div
            className={classNames('h-3 bg-selected', index % 3 === 0 ? 'w-3/5' : index % 3 === 1 ? 'w-4/5' : 'w-2/5')}
          />
        </div>
      ))}
    </div>
  )
}
