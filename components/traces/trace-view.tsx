'use client'

import { useEffect, useMemo, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Kbd } from '#components/ui/kbd.tsx'
import { LiveState } from './live-state.tsx'
import { SpanDetail } from './span-detail.tsx'
import { at } from './span-tree.ts'
import { TraceGrid } from './trace-grid.tsx'
import type { useTrace } from './use-trace.ts'
import { useWaterfall } from './use-waterfall.ts'

/** The waterfall of a trace with the detail of the selected span, live while the trace is open. */
export function TraceView({ trace }: { trace: ReturnType<typeof useTrace> }) {
  const { spans, connection, reconnect } = trace
  const waterfall = useWaterfall(trace)
  const { layout, rows, selected, zoomed, setZoomed, deselect, nextError } = waterfall
  const [atEnd, setAtEnd] = useState(true)
  const live = connection !== 'over'
  const paused = live && (selected !== undefined || !atEnd)
  const fresh = useFresh(spans.length, paused)
  const [followed, setFollowed] = useState(0)
  const span = selected === undefined ? undefined : spans[selected]
  const hasErrors = useMemo(() => spans.some((one) => one.status === 'error'), [spans])

  if (spans.length === 0)
    return (
      <EmptyState title="No span has begun yet.">
        {live ? 'This page shows each one as it begins.' : 'The trace ended without any.'}
      </EmptyState>
    )
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <LiveState
          connection={connection}
          paused={paused}
          fresh={fresh}
          onReconnect={reconnect}
          onFollow={() => {
            deselect()
            setFollowed(followed + 1)
          }}
        />
        <span className="ml-auto flex flex-wrap gap-2">
          {hasErrors && (
            <Button onClick={nextError}>
              Next error <Kbd>E</Kbd>
            </Button>
          )}
          {(zoomed || selected !== undefined) && (
            <Button onClick={() => setZoomed(!zoomed)}>
              {zoomed ? 'Show the whole trace’s time' : 'Zoom to the span’s time'}
            </Button>
          )}
        </span>
      </div>
      <div className="grid grid-cols-1 items-start gap-6 wide:grid-cols-[minmax(0,1fr)_21rem]">
        <TraceGrid
          layout={layout}
          rows={rows}
          isFolded={waterfall.isFolded}
          selected={selected}
          onSelect={waterfall.select}
          onFold={waterfall.fold}
          onEscape={deselect}
          onError={nextError}
          follow={live && !paused}
          followed={followed}
          onAtEnd={setAtEnd}
        />
        <aside
          aria-label="Selected span"
          className="flex min-w-0 flex-col gap-4 wide:border-line wide:border-l wide:pl-6"
        >
          {span === undefined ? (
            <p className="text-ink-2">Select a span to see what it did and carried.</p>
          ) : (
            <SpanDetail key={span.spanId} span={span} parentName={parentName(waterfall, selected)} />
          )}
        </aside>
      </div>
    </div>
  )
}

function parentName({ layout: { tree, spans } }: ReturnType<typeof useWaterfall>, span = 0): string | undefined {
  const parent = at(tree.parent, at(tree.rowOf, span))
  return parent < 0 ? undefined : spans[at(tree.spanAt, parent)]?.name
}

/** How many spans came since the reader stopped at something. */
function useFresh(count: number, paused: boolean): number {
  const [seen, setSeen] = useState(count)
  useEffect(() => {
    if (!paused) setSeen(count)
  }, [paused, count])
  return paused ? Math.max(0, count - seen) : 0
}
