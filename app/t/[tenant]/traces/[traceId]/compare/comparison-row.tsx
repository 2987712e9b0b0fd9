// biome-ignore-all lint/a11y/useSemanticElements: a table can't be a treegrid whose rows are positioned absolutely.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active row.

import { memo } from 'react'
import * as t from '#components/texts/trace-compare/en.ts'
import { headerClass, SpanRow, type SpanRowProps } from '#components/traces/grid/span-row.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { markOf } from './words.ts'

/** Span, the two durations, what differs. On a phone the durations are left out: the details have them. */
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_minmax(0,8rem)] narrow:grid-cols-[minmax(0,1fr)_4.75rem_4.75rem_minmax(0,34%)]'

const MARK: Record<string, string> = {
  '+': 'text-info',
  '−': 'text-hold',
  '≠': 'text-ink',
}

type ComparisonRowProps = SpanRowProps & {
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
  const { bits, first, second, changes, ...row } = props
  const { sign, word } = markOf(bits)
  return (
    <SpanRow
      {...row}
      columns={COLUMNS}
      nameClass={sign === '' ? 'text-ink-2' : undefined}
      mark={
        <span aria-hidden="true" className={classNames('w-3 shrink-0 text-center font-mono font-semibold', MARK[sign])}>
          {sign}
        </span>
      }
      words={`, ${word}`}
    >
      <div role="gridcell" className="hidden whitespace-nowrap pr-3 text-right narrow:block">
        {first}
      </div>
      <div role="gridcell" className="hidden whitespace-nowrap pr-3 text-right narrow:block">
        {second}
      </div>
      <div role="gridcell" className="truncate pr-2">
        {changes}
      </div>
    </SpanRow>
  )
})

/** The names of the columns. */
export function ComparisonHeader() {
  return (
    <div role="row" aria-rowindex={1} className={headerClass(COLUMNS)}>
      <span role="columnheader" className="pl-2">
        {t.span}
      </span>
      <span role="columnheader" className="hidden pr-3 text-right narrow:block">
        {t.first}
      </span>
      <span role="columnheader" className="hidden pr-3 text-right narrow:block">
        {t.second}
      </span>
      <span role="columnheader">{t.whatDiffers}</span>
    </div>
  )
}
