// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.

import type { ReactNode } from 'react'
import * as t from '#components/texts/traces/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { KindGlyph, kindWord } from './span-kind.tsx'

/** In pixels. Fixed, so that rows need not be measured. */
export const ROW_HEIGHT = 26

const INDENT = 14
/** Deeper levels are not indented further, to leave room for the name. */
const MAX_INDENT = 12 * INDENT

/** The row of a treegrid's headers, above rows with these columns. */
export const headerClass = (columns: string): string =>
  `${columns} sticky top-0 z-1 h-7 items-center border-line-strong border-b border-l-3 border-l-transparent bg-surface text-dense text-ink-2`

export type SpanRowProps = {
  id: string
  /** Index among the visible rows, from 0. */
  place: number
  depth: number
  /** Undefined for a span without children. */
  expanded: boolean | undefined
  selected: boolean
}

type Props = SpanRowProps & {
  columns: string
  kind: SpanKind
  name: string
  failed: boolean
  /** Of a name that is not one of a failure. */
  nameClass?: string | undefined
  /** Before the kind. */
  mark?: ReactNode
  /** Read out after the kind, with the comma before it. */
  words?: string | undefined
  /** The cells after the name. */
  children: ReactNode
}

/** One row of a treegrid of spans: fold, kind and name, then the cells of that grid. */
export function SpanRow(props: Props) {
  const { columns, id, place, depth, expanded, selected, kind, name, failed, nameClass, mark, words, children } = props
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
        columns,
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
        {mark}
        <KindGlyph kind={kind} />
        <span className={classNames('truncate [&>bdi]:whitespace-pre', failed ? 'text-danger' : nameClass)}>
          <ShownText>{name}</ShownText>
        </span>
        {failed && (
          <Glyph className="text-danger">
            <path d="M8 2.25 14.25 13.5H1.75z" />
            <path d="M8 6.5v3m0 1.9v.1" />
          </Glyph>
        )}
        <VisuallyHidden>
          {t.spanWords({ kind: kindWord(kind), words: words ?? '', failed: String(failed) })}
        </VisuallyHidden>
      </div>
      {children}
    </div>
  )
}
