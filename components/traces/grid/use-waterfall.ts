'use client'

import { useCallback, useEffect, useMemo, useState } from 'react'
import { criticalPath } from '#components/traces/model/critical-path.ts'
import { countOf, matching, nextAfter, rowsThatLead } from '#components/traces/model/span-filter.ts'
import { at, type SpanTree, spanTree, visibleRows } from '#components/traces/model/span-tree.ts'
import { traceLayout } from '#components/traces/model/trace-layout.ts'
import { useAddressValue } from '#components/traces/use-address-value.ts'
import type { useTrace } from '#components/traces/use-trace.ts'
import { useTraceFilter } from './use-trace-filter.ts'

/** Tree, rows, axis, selection, folding and filter of one trace. */
export function useWaterfall({ spans, log, running }: ReturnType<typeof useTrace>) {
  const [selectedId, selectId] = useAddressValue('span')
  /** Spans that the reader folded or unfolded. The level setting applies to all others. */
  const [byHand, setByHand] = useState<ReadonlyMap<number, boolean>>(new Map())
  /** Whether the axis covers the selection with its surroundings: in a long trace, bars of the whole time are slivers. */
  const [following, setFollowing] = useState(true)
  const filter = useTraceFilter()
  const now = useTick(running)
  const tree = useMemo(() => spanTree(spans), [spans])
  const selected = selectedId === undefined ? undefined : log.indexOf(selectedId)
  const within = following && selected !== undefined ? surroundings(tree, selected) : undefined
  const layout = useMemo(
    () => traceLayout(spans, tree, now, filter.window ?? within),
    [spans, tree, now, within, filter.window],
  )
  const { only, text, kinds, level, window } = filter
  const during = useMemo(
    () => window && { from: layout.beganAt + window.from, to: layout.beganAt + window.to },
    [window, layout.beganAt],
  )
  const path = useMemo(
    () => (only === 'critical' ? criticalPath(tree, layout.startedAt, layout.endedAt) : undefined),
    [only, tree, layout],
  )
  const matches = useMemo(
    () => matching(spans, { text, kinds, errorsOnly: only === 'errors', among: path, during }),
    [spans, text, kinds, only, path, during],
  )
  const isFolded = useCallback(
    (span: number) => byHand.get(span) ?? (level !== undefined && at(tree.depth, at(tree.rowOf, span)) >= level - 1),
    [byHand, level, tree],
  )
  const rows = useMemo(() => {
    // Matches of a search are shown even inside folded spans.
    if (matches !== undefined)
      return rowsThatLead(
        visibleRows(tree, () => false),
        tree,
        matches,
      )
    return visibleRows(tree, isFolded)
  }, [tree, isFolded, matches])

  /** Unfolds the ancestors of the span and selects it. */
  function reveal(span: number): void {
    const opened = new Map(byHand)
    for (let row = at(tree.parent, at(tree.rowOf, span)); row >= 0; row = at(tree.parent, row))
      if (isFolded(at(tree.spanAt, row))) opened.set(at(tree.spanAt, row), false)
    setByHand(opened)
    selectId(spans[span]?.spanId)
  }
  const next = (is: (span: number) => boolean) => {
    const found = nextAfter(tree, selected === undefined ? -1 : at(tree.rowOf, selected), is)
    if (found !== undefined) reveal(found)
  }

  return {
    layout,
    rows,
    isFolded: useCallback((span: number) => matches === undefined && isFolded(span), [matches, isFolded]),
    filter,
    /** Number of matching spans; undefined without filters. */
    found: useMemo(() => (matches === undefined ? undefined : countOf(matches)), [matches]),
    matches,
    selected,
    following,
    setFollowing,
    /** The axis covers only a part of the trace. */
    isPart: filter.window !== undefined || (within !== undefined && tree.depth[tree.rowOf[within] ?? 0] !== 0),
    reveal,
    select: (span: number) => selectId(spans[span]?.spanId),
    deselect: () => selectId(undefined),
    fold: (span: number, fold: boolean) => setByHand(new Map(byHand).set(span, fold)),
    foldTo(wanted: number | undefined) {
      setByHand(new Map())
      filter.setLevel(wanted)
    },
    nextError: () => next((span) => spans[span]?.status === 'error'),
    nextMatch: () => next((span) => matches?.[span] === 1),
  }
}

/** A span with others below it, or the parent of one without, so that moving between neighbours does not move the axis. */
function surroundings(tree: SpanTree, span: number): number {
  const row = at(tree.rowOf, span)
  const parent = at(tree.parent, row)
  return at(tree.end, row) > row + 1 || parent < 0 ? span : at(tree.spanAt, parent)
}

export type Waterfall = ReturnType<typeof useWaterfall>

/** Returns the time in epoch milliseconds, updated every second while a span is open, else 0. */
function useTick(running: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [running])
  return running ? now : 0
}
