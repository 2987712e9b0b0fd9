// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.
import { memo } from 'react'
import { KindGlyph, kindWord } from '#components/traces/grid/span-kind.tsx'
import { ROW_HEIGHT } from '#components/traces/grid/trace-row.tsx'
import type { GridRow } from '#components/traces/grid/tree-grid.tsx'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { markOf } from './words.ts'

/** Span, the two durations, what differs. On a phone the durations are left out: the details have them. */
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_minmax(0,8rem)] narrow:grid-cols-[minmax(0,1fr)_4.75rem_4.75rem_minmax(0,34%)]'

const INDENT = 14
const MAX_INDENT = 12 * INDENT

const MARK: Record<string, string> = {
  added: 'text-info',
  missing: 'text-hold',
  changed: 'text-ink',
  'the same': 'text-ink-3',
}

type ComparisonRowProps = Omit<GridRow, 'span'> & {
  name: string
  kind: SpanKind
  bits: number
  failed: boolean
  /** Empty where a trace lacks the span. */
  first: string
  second: string
  changes: string
}

/** One span of the two traces. Elements are reused while scrolling, so a row holds neither state nor focus. */
export const ComparisonRow = memo(function ComparisonRow(props: ComparisonRowProps) {
  const { id, place, depth, expanded, selected, name, kind, bits, failed, first, second, changes } = props
  const { sign, word } = markOf(bits)
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
        <span aria-hidden="true" className={classNames('w-3 shrink-0 text-center font-mono font-semibold', MARK[word])}>
          {sign}
        </span>
        <KindGlyph kind={kind} />
        <span
          className={classNames(
            'truncate [&>bdi]:whitespace-pre',
            failed ? 'text-danger' : word === 'the same' && 'text-ink-2',
          )}
        >
          <ShownText>{name}</ShownText>
        </span>
        {failed && (
          <Glyph className="text-danger">
            <path d="M8 2.25 14.25 13.5H1.75z" />
            <path d="M8 6.5v3m0 1.9v.1" />
          </Glyph>
        )}
        <VisuallyHidden>
          , {kindWord(kind)}, {word}
          {failed && ', error'}
        </VisuallyHidden>
      </div>
      <div role="gridcell" className="hidden whitespace-nowrap pr-3 text-right narrow:block">
        {first}
      </div>
      <div role="gridcell" className="hidden whitespace-nowrap pr-3 text-right narrow:block">
        {second}
      </div>
      <div role="gridcell" className="truncate pr-2">
        {changes}
      </div>
    </div>
  )
})

/** The names of the columns. */
export function ComparisonHeader() {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${COLUMNS} sticky top-0 z-1 h-7 items-center border-line-strong border-b border-l-3 border-l-transparent bg-surface text-dense text-ink-2`}
    >
      <span role="columnheader" className="pl-2">
        Span
      </span>
      <span role="columnheader" className="hidden pr-3 text-right narrow:block">
        First
      </span>
      <span role="columnheader" className="hidden pr-3 text-right narrow:block">
        Second
      </span>
      <span role="columnheader">What differs</span>
    </div>
  )
}
