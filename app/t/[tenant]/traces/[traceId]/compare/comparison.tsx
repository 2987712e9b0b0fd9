'use client'

import { useMemo, useState } from 'react'
import { formatDuration } from '#components/language/formats.ts'
import { useNarrow } from '#components/layout/use-narrow.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-compare/en.ts'
import { FirstError } from '#components/traces/first-error.tsx'
import { TreeGrid } from '#components/traces/grid/tree-grid.tsx'
import { at } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { ComparisonHeader, ComparisonRow } from './comparison-row.tsx'
import { countDifferences, durationOf } from './difference.ts'
import { PairDetail } from './pair-detail.tsx'
import { Toolbar } from './toolbar.tsx'
import { Totals } from './totals.tsx'
import { bitsAt, useComparison } from './use-comparison.ts'
import type { Loaded } from './use-loaded.ts'
import { changesOf } from './words.ts'

/** Both traces as one tree, with totals above it and the selected span next to it. */
export function Comparison({ left, right }: { left: Loaded; right: Loaded }) {
  const { tenant } = useSession()
  const narrow = useNarrow()
  const comparison = useComparison(left, right)
  const { aligned, found, rows, isFolded, spansAt, selected } = comparison
  const [opened, setOpened] = useState(selected !== undefined)
  const errors = useMemo(() => errorsOf(found.length, spansAt), [found, spansAt])
  const { hidden } = useMemo(() => countDifferences(found), [found])
  const callsAt = (row: number) =>
    [left.calls.get(at(aligned.left, row)), right.calls.get(at(aligned.right, row))] as const

  const detail = selected !== undefined && (
    <PairDetail
      key={selected}
      bits={bitsAt(found, selected)}
      first={{ ...sideOf(left), span: spansAt(selected).one, call: callsAt(selected)[0] }}
      second={{ ...sideOf(right), span: spansAt(selected).other, call: callsAt(selected)[1] }}
    />
  )
  const go = (row: number) => {
    comparison.reveal(row)
    setOpened(true)
  }
  return (
    <div className="flex flex-col gap-4">
      {errors.onlyFirst !== undefined && (
        <FirstError
          traceId={left.traceId}
          where={t.onlyInFirstTrace}
          span={errors.onlyFirst.span}
          onGo={() => errors.onlyFirst && go(errors.onlyFirst.row)}
        />
      )}
      {errors.onlySecond !== undefined && (
        <FirstError
          traceId={right.traceId}
          where={t.onlyInSecondTrace}
          span={errors.onlySecond.span}
          onGo={() => errors.onlySecond && go(errors.onlySecond.row)}
        />
      )}
      <Totals tenant={tenant} left={left} right={right} />
      {hidden > 0 && (
        <Banner tone="info" urgency="none">
          {t.maskedValuesWereNot}
        </Banner>
      )}
      <Toolbar comparison={comparison} errors={errors.count} onOpen={() => setOpened(true)} />
      <div className="grid grid-cols-1 items-start gap-6 wide:grid-cols-[minmax(0,1fr)_minmax(24rem,40%)]">
        {rows.length === 0 ? (
          <EmptyState title={t.noSpansMatch}>{t.chooseAnotherSortOf}</EmptyState>
        ) : (
          <TreeGrid
            label={t.spansOfBothTraces}
            tree={aligned}
            rows={rows}
            isFolded={isFolded}
            selected={selected}
            onSelect={comparison.select}
            onFold={comparison.fold}
            onEscape={comparison.deselect}
            onOpen={() => setOpened(true)}
            header={<ComparisonHeader />}
            row={({ span: row, ...shown }) => {
              const { one, other } = spansAt(row)
              const known = other ?? one
              if (known === undefined) return null
              const bits = bitsAt(found, row)
              return (
                <ComparisonRow
                  {...shown}
                  name={known.name}
                  kind={known.kind}
                  bits={bits}
                  failed={one?.status === 'error' || other?.status === 'error'}
                  first={tookOf(one)}
                  second={tookOf(other)}
                  changes={changesOf(bits, { one, other, calls: [...callsAt(row)] }).join(', ')}
                />
              )
            }}
          />
        )}
        {narrow ? (
          <Dialog
            open={opened && selected !== undefined}
            onOpenChange={setOpened}
            title={t.selectedSpan}
            description={t.spanThatIsSelected}
            placement="foot"
          >
            {detail}
          </Dialog>
        ) : (
          <aside
            aria-label={t.selectedSpan}
            className="flex min-w-0 flex-col gap-4 wide:sticky wide:top-15 wide:max-h-[calc(100dvh-4.5rem)] wide:overflow-y-auto wide:border-line wide:border-l wide:pl-6"
          >
            {detail || <p className="text-ink-2">{t.selectSpanToSee}</p>}
          </aside>
        )}
      </div>
    </div>
  )
}

const sideOf = ({ traceId, answer }: Loaded) => ({ traceId, startedAt: answer.trace.startedAt })

function tookOf(span: TraceSpan | undefined): string {
  if (span === undefined) return ''
  const took = durationOf(span)
  return took === undefined ? t.runningWord : formatDuration(took)
}

type Failed = { row: number; span: TraceSpan } | undefined

/** How many rows have an error, and the first one that only one of the traces has. */
function errorsOf(rows: number, spansAt: ReturnType<typeof useComparison>['spansAt']) {
  let count = 0
  let onlyFirst: Failed
  let onlySecond: Failed
  for (let row = 0; row < rows; row++) {
    const { one, other } = spansAt(row)
    const [fails, otherFails] = [one?.status === 'error', other?.status === 'error']
    if (fails || otherFails) count += 1
    if (fails && !otherFails && one !== undefined) onlyFirst ??= { row, span: one }
    if (otherFails && !fails && other !== undefined) onlySecond ??= { row, span: other }
  }
  return { count, onlyFirst, onlySecond }
}
