'use client'

import { useEffect, useMemo, useState } from 'react'
import { useNarrow } from '#components/layout/use-narrow.ts'
import * as t from '#components/texts/traces/en.ts'
import { SpanDetail } from '#components/traces/detail/span-detail.tsx'
import { useReveal } from '#components/traces/detail/use-reveal.ts'
import { TraceGrid } from '#components/traces/grid/trace-grid.tsx'
import { TraceOverview } from '#components/traces/grid/trace-overview.tsx'
import { TraceToolbar } from '#components/traces/grid/trace-toolbar.tsx'
import { useWaterfall } from '#components/traces/grid/use-waterfall.ts'
import { firstError } from '#components/traces/model/first-error.ts'
import { at } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { FirstError } from './first-error.tsx'
import { LiveAnswers } from './live-answers.tsx'
import { LiveState } from './live-state.tsx'
import type { useTrace } from './use-trace.ts'

/** The waterfall of a trace with the detail of the selected span, live while the trace is open. */
export function TraceView({ trace }: { trace: ReturnType<typeof useTrace> }) {
  const { traceId, spans, answers, connection, running: live, missed, reconnect } = trace
  const waterfall = useWaterfall(trace)
  const [reveal, setReveal, mask] = useReveal()
  const { layout, rows, selected, following, setFollowing, deselect, filter, found } = waterfall
  const narrow = useNarrow()
  const [opened, setOpened] = useState(selected !== undefined)
  const failed = useMemo(() => firstError(spans), [spans])
  const orphans = useMemo(() => missingParents(spans), [spans])
  const [atEnd, setAtEnd] = useState(true)
  const paused = live && (selected !== undefined || !atEnd)
  const fresh = useFresh(spans.length, paused)
  const [followed, setFollowed] = useState(0)
  const span = selected === undefined ? undefined : spans[selected]

  const detail = span !== undefined && (
    <SpanDetail
      key={span.spanId}
      traceId={traceId}
      reveal={reveal}
      onReveal={setReveal}
      span={span}
      parentName={parentName(waterfall, selected)}
    />
  )

  if (spans.length === 0)
    return <EmptyState title={t.noSpansHaveStarted}>{live ? t.spansAppearHereAs : t.traceEndedWithoutSpans}</EmptyState>
  return (
    <div className="flex flex-col gap-2">
      {reveal !== undefined && (
        <Banner tone="hold" action={<Button onClick={mask}>{t.reMask}</Button>}>
          {t.unmaskedForYouUntil({ at: () => <Time at={new Date(reveal.until).toISOString()} show="clock" /> })}
        </Banner>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <LiveState
          connection={connection}
          running={live}
          paused={paused}
          fresh={fresh}
          missed={missed}
          onReconnect={reconnect}
          onFollow={() => {
            deselect()
            setFollowed(followed + 1)
          }}
        />
        <span className="ml-auto flex flex-wrap gap-2">
          {waterfall.isPart && (
            <Button
              onClick={() => {
                setFollowing(false)
                filter.setWindow(undefined)
              }}
            >
              {t.showWholeTracesTime}
            </Button>
          )}
          {!following && (
            <Button
              onClick={() => {
                setFollowing(true)
                filter.setWindow(undefined)
              }}
            >
              {t.followSelection}
            </Button>
          )}
        </span>
      </div>
      {failed !== undefined && spans[failed] !== undefined && (
        <FirstError
          traceId={traceId}
          span={spans[failed]}
          onGo={() => {
            waterfall.reveal(failed)
            setOpened(true)
          }}
        />
      )}
      {orphans > 0 && (
        <Banner tone="warn" urgency="none">
          {t.parentOfSpansIs({ spans: orphans })}
        </Banner>
      )}
      <LiveAnswers answers={answers} spans={spans} />
      <TraceToolbar
        waterfall={waterfall}
        spans={spans}
        onNextError={() => {
          waterfall.nextError()
          setOpened(true)
        }}
      />
      <TraceOverview layout={layout} window={filter.window} onWindow={filter.setWindow} />
      <div className="grid grid-cols-1 items-start gap-6 wide:grid-cols-[minmax(0,1fr)_minmax(24rem,46%)]">
        {found === 0 ? (
          <EmptyState title={t.noSpansMatch}>{t.removeSomeOfFilters}</EmptyState>
        ) : (
          <TraceGrid
            layout={layout}
            rows={rows}
            isFolded={waterfall.isFolded}
            selected={selected}
            onSelect={waterfall.select}
            onFold={waterfall.fold}
            onEscape={deselect}
            onOpen={() => setOpened(true)}
            follow={live && !paused}
            followed={followed}
            onAtEnd={setAtEnd}
          />
        )}
        {narrow ? (
          <Dialog
            open={opened && span !== undefined}
            onOpenChange={setOpened}
            title={t.selectedSpan}
            description={t.detailsOfSpanThat}
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

function parentName({ layout: { tree, spans } }: ReturnType<typeof useWaterfall>, span = 0): string | undefined {
  const parent = at(tree.parent, at(tree.rowOf, span))
  return parent < 0 ? undefined : spans[at(tree.spanAt, parent)]?.name
}

/** Returns the number of spans that name a parent which the trace does not have. */
function missingParents(spans: readonly TraceSpan[]): number {
  const known = new Set(spans.map(({ spanId }) => spanId))
  return spans.filter(({ parentSpanId }) => parentSpanId !== null && !known.has(parentSpanId)).length
}

/** Returns the number of spans that arrived since the reader paused. */
function useFresh(count: number, paused: boolean): number {
  const [seen, setSeen] = useState(count)
  // Spans that existed when the page was opened are not new, even if the address selects one.
  const first = seen === 0
  useEffect(() => {
    if (!paused || first) setSeen(count)
  }, [paused, first, count])
  return paused && !first ? Math.max(0, count - seen) : 0
}
