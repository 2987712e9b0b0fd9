// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.
import { memo } from 'react'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { KindGlyph, kindWord } from './span-kind.tsx'

/** In pixels. Fixed, so that rows need not be measured. */
export const ROW_HEIGHT = 26
/** Name, duration, bar; the same for header, rows and the bands of the axis. */
export const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_5.25rem_8%] narrow:grid-cols-[minmax(0,2fr)_6rem_minmax(0,3fr)]'

const INDENT = 14
/** Deeper levels are not indented further, to leave room for the name. */
const MAX_INDENT = 12 * INDENT

type TraceRowProps = {
  id: string
  span: TraceSpan
  /** Index among the visible rows, from 0. */
  place: number
  depth: number
  /** Undefined for a span without children. */
  expanded: boolean | undefined
  selected: boolean
  duration: string
  /** Fractions of the axis. */
  x: number
  width: number
}

/** One span. Elements are reused while scrolling, so a row holds neither state nor focus. */
export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { id, span, place, depth, expanded, selected, duration, x, width } = props
  const failed = span.status === 'error'
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={place + 2}
      aria-level={depth + 1}
      aria-expanded={expanded}
      aria-selected={selected}
      data-place={place}
      className={classNames(
        COLUMNS,
        'absolute inset-x-0 top-0 h-6.5 cursor-pointer items-center border-line border-b border-l-3 text-dense',
        selected ? 'border-l-focus bg-selected' : 'border-l-transparent hover:bg-selected',
      )}
      style={{ transform: `translateY(${place * ROW_HEIGHT}px)` }}
    >
      <div
        role="gridcell"
        className="flex min-w-0 items-center gap-1.5"
        style={{ paddingLeft: Math.min(depth * INDENT, MAX_INDENT) }}
      >
        <span
          data-fold={expanded === undefined ? undefined : ''}
          className="inline-grid size-6 shrink-0 place-items-center text-ink-2"
        >
          {expanded !== undefined && (
            <Glyph size="size-3">{expanded ? <path d="m3 5.5 5 5 5-5" /> : <path d="m5.5 3 5 5-5 5" />}</Glyph>
          )}
        </span>
        <KindGlyph kind={span.kind} />
        <span className={classNames('truncate [&>bdi]:whitespace-pre', failed && 'text-danger')}>
          <ShownText>{span.name}</ShownText>
        </span>
        {failed && (
          <Glyph className="text-danger">
            <path d="M8 2.25 14.25 13.5H1.75z" />
            <path d="M8 6.5v3m0 1.9v.1" />
          </Glyph>
        )}
        <VisuallyHidden>
          , {kindWord(span.kind)}
          {failed && ', error'}
          {depth > 5 && `, level ${depth + 1}`}
        </VisuallyHidden>
      </div>
      <div role="gridcell" className="whitespace-nowrap pr-3 text-right">
        {duration}
        {span.endedAt === null && <VisuallyHidden> and still running</VisuallyHidden>}
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
    </div>
  )
})

function barColor({ status, endedAt, kind }: TraceSpan): string {
  if (status === 'error') return 'bg-danger'
  if (endedAt === null) return kind === 'approval' || kind === 'wait' ? 'bg-hold' : 'bg-info'
  return 'bg-ink-3'
}
