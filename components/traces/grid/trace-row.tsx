// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.

import { memo } from 'react'
import * as t from '#components/texts/traces/en.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { SpanRow, type SpanRowProps } from './span-row.tsx'

/** Name, duration, bar; the same for header, rows and the bands of the axis. */
export const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_5.25rem_8%] narrow:grid-cols-[minmax(0,5fr)_5rem_minmax(0,4fr)]'

type TraceRowProps = SpanRowProps & {
  span: TraceSpan
  duration: string
  /** Fractions of the axis. */
  x: number
  width: number
}

/** One span. Elements are reused while scrolling, so a row holds neither state nor focus. */
export const TraceRow = memo(function TraceRow({ span, duration, x, width, ...row }: TraceRowProps) {
  return (
    <SpanRow
      {...row}
      columns={COLUMNS}
      kind={span.kind}
      name={span.name}
      failed={span.status === 'error'}
      words={row.depth > 5 ? t.atLevel({ level: row.depth + 1 }) : undefined}
    >
      <div role="gridcell" className="whitespace-nowrap pr-3 text-right">
        {duration}
        {span.endedAt === null && <VisuallyHidden>{t.andStillRunning}</VisuallyHidden>}
      </div>
      <div role="gridcell" className="relative mr-2 h-full overflow-hidden">
        <div
          // Forced colours would paint the bar like its background.
          className={classNames(
            'absolute top-2 h-2.5 forced-colors:bg-[CanvasText] forced-colors:forced-color-adjust-none',
            barColor(span),
          )}
          style={{ left: `${x * 100}%`, width: `max(2px, ${width * 100}%)` }}
        />
      </div>
    </SpanRow>
  )
})

function barColor({ status, endedAt, kind }: TraceSpan): string {
  if (status === 'error') return 'bg-danger'
  if (endedAt === null) return kind === 'approval' || kind === 'wait' ? 'bg-hold' : 'bg-info'
  return 'bg-ink-3'
}
