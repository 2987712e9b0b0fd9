// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.

import { formatDuration } from '#components/language/formats.ts'
import * as t from '#components/texts/traces/en.ts'
import type { Fold, TimeAxis } from '#components/traces/model/time-axis.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { headerClass } from './span-row.tsx'
import { COLUMNS } from './trace-row.tsx'

/** The names of the columns and, above the bars, the duration of the axis and of each folded period. */
export function AxisHeader({ axis }: { axis: TimeAxis }) {
  const total = formatDuration(axis.to - axis.from)
  return (
    <div role="row" aria-rowindex={1} className={headerClass(COLUMNS)}>
      <span role="columnheader" className="pl-2">
        {t.span}
      </span>
      <span role="columnheader" className="pr-3 text-right">
        {t.duration}
      </span>
      <span role="columnheader" className="relative mr-2 h-full">
        <VisuallyHidden>
          {t.timelineOf({ total })}
          {axis.folds.map(({ from, to }) => t.withoutEventFolded({ duration: formatDuration(to - from) }))}
        </VisuallyHidden>
        {axis.folds.length === 0 && (
          <span aria-hidden="true" className="hidden h-full items-center justify-end narrow:flex">
            {total}
          </span>
        )}
        {labelled(axis.folds).map((fold) => (
          <FoldLabel key={fold.from} fold={fold} />
        ))}
      </span>
    </div>
  )
}

/** Labels need about this fraction of the axis. */
const LABEL_WIDTH = 0.4

/** The folds whose labels have room, the longest first. All of them are read out. */
function labelled(folds: readonly Fold[]): Fold[] {
  const shown: Fold[] = []
  for (const fold of [...folds].sort((one, other) => other.to - other.from - (one.to - one.from)))
    if (shown.every(({ x }) => Math.abs(x - fold.x) >= LABEL_WIDTH)) shown.push(fold)
  return shown
}

/** Aligned with its band, and extends away from the nearer end of the axis. */
function FoldLabel({ fold: { from, to, x, width } }: { fold: Fold }) {
  const atEnd = x + width / 2 > 0.5
  return (
    <span
      aria-hidden="true"
      className="absolute hidden h-full items-center whitespace-nowrap narrow:flex"
      style={atEnd ? { right: `${(1 - x - width) * 100}%` } : { left: `${x * 100}%` }}
    >
      {t.folded({ duration: formatDuration(to - from) })}
    </span>
  )
}

/** Bands behind the rows that mark folded periods. */
export function FoldBands({ axis }: { axis: TimeAxis }) {
  if (axis.folds.length === 0) return null
  return (
    <div
      aria-hidden="true"
      className={`${COLUMNS} pointer-events-none absolute inset-0 border-l-3 border-l-transparent`}
    >
      <div className="relative col-start-3 mr-2">
        {axis.folds.map(({ from, x, width }) => (
          <div
            key={from}
            className="absolute inset-y-0 border-line-strong border-x border-dashed bg-sunken"
            style={{ left: `${x * 100}%`, width: `${width * 100}%` }}
          />
        ))}
      </div>
    </div>
  )
}
