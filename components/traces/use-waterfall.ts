'use client'

import { useCallback, useEffect, useMemo, useState } from 'react'
import { at, spanTree, visibleRows } from './span-tree.ts'
import { traceLayout } from './trace-layout.ts'
import type { TraceSpan } from './trace-span.ts'
import { useSelectedSpan } from './use-selected-span.ts'
import type { useTrace } from './use-trace.ts'

/** Tree, rows, axis, selection and folding of one trace. */
export function useWaterfall({ spans, log, connection }: ReturnType<typeof useTrace>) {
  const [selectedId, selectId] = useSelectedSpan()
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [zoomed, setZoomed] = useState(false)
  const now = useTick(connection !== 'over')
  const tree = useMemo(() => spanTree(spans), [spans])
  const selected = selectedId === undefined ? undefined : log.indexOf(selectedId)
  const within = zoomed ? selected : undefined
  const layout = useMemo(() => traceLayout(spans, tree, now, within), [spans, tree, now, within])
  const isFolded = useCallback((span: number) => folded.has(span), [folded])
  const rows = useMemo(() => visibleRows(tree, isFolded), [tree, isFolded])

  /** Opens what hides the span, and selects it. */
  function reveal(span: number): void {
    const opened = new Set(folded)
    for (let row = at(tree.rowOf, span); row >= 0; row = at(tree.parent, row))
      if (row !== at(tree.rowOf, span)) opened.delete(at(tree.spanAt, row))
    setFolded(opened)
    selectId(spans[span]?.spanId)
  }

  return {
    layout,
    rows,
    isFolded,
    selected,
    zoomed,
    setZoomed,
    select: (span: number) => selectId(spans[span]?.spanId),
    deselect: () => selectId(undefined),
    fold(span: number, fold: boolean) {
      const next = new Set(folded)
      if (fold) next.add(span)
      else next.delete(span)
      setFolded(next)
    },
    nextError() {
      const next = nextErrorAfter(spans, tree.spanAt, selected === undefined ? -1 : at(tree.rowOf, selected))
      if (next !== undefined) reveal(next)
    },
  }
}

/** In reading order, from the top again after the last one. */
function nextErrorAfter(spans: readonly TraceSpan[], order: Int32Array, row: number): number | undefined {
  const failed = (span: number) => spans[span]?.status === 'error'
  return order.subarray(row + 1).find(failed) ?? order.find(failed)
}

/** Epoch milliseconds every second while something runs, else 0. */
function useTick(running: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [running])
  return running ? now : 0
}
