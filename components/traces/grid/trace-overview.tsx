'use client'

import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { at } from '#components/traces/model/span-tree.ts'
import type { TraceLayout } from '#components/traces/model/trace-layout.ts'
import type { TimeWindow } from './use-trace-filter.ts'

/** In CSS pixels. */
const HEIGHT = 44
const THINNEST_LANE = 3
const THICKEST_LANE = 11
/** A shorter drag is a click. */
const SHORTEST_DRAG = 4

type TraceOverviewProps = {
  layout: TraceLayout
  window: TimeWindow | undefined
  onWindow: (window: TimeWindow | undefined) => void
}

/**
 * The whole trace in one strip with a linear time axis: each span is a line on its level, with errors on top. Dragging selects a
 * period. The picture only repeats the content of the grid; the buttons next to it zoom by keyboard.
 */
export function TraceOverview({ layout, window: chosen, onWindow }: TraceOverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<{ from: number; to: number }>()
  const length = Math.max(1, layout.overAt - layout.beganAt)
  useDrawing(canvas, layout, length)
  const share = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  function finish(event: PointerEvent<HTMLDivElement>) {
    if (drag === undefined) return
    setDrag(undefined)
    const { width } = event.currentTarget.getBoundingClientRect()
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
    onWindow((to - from) * width < SHORTEST_DRAG ? undefined : { from: from * length, to: to * length })
  }
  const marked =
    drag !== undefined
      ? { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) }
      : chosen && { from: Math.min(1, chosen.from / length), to: Math.min(1, chosen.to / length) }
  return (
    <div
      aria-hidden="true"
      className="relative h-11 cursor-crosshair touch-pan-y select-none border-line border-y bg-sunken print:hidden"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: share(event), to: share(event) })
      }}
      onPointerMove={(event) => drag !== undefined && setDrag({ ...drag, to: share(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(undefined)}
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      {marked !== undefined && (
        <span
          className="absolute inset-y-0 border-focus border-x-2 bg-selected mix-blend-multiply dark:mix-blend-screen"
          style={{ left: `${marked.from * 100}%`, width: `${(marked.to - marked.from) * 100}%` }}
        />
      )}
    </div>
  )
}

function useDrawing(canvas: { current: HTMLCanvasElement | null }, layout: TraceLayout, length: number): void {
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const redraw = () => draw(element, layout, length)
    // The observer also reports the initial size.
    const observer = new ResizeObserver(redraw)
    observer.observe(element)
    const theme = window.matchMedia('(prefers-color-scheme: dark)')
    theme.addEventListener('change', redraw)
    return () => {
      observer.disconnect()
      theme.removeEventListener('change', redraw)
    }
  }, [canvas, layout, length])
}

function draw(element: HTMLCanvasElement, layout: TraceLayout, length: number): void {
  const context = element.getContext('2d')
  if (context === null) return
  const scale = window.devicePixelRatio
  const width = element.clientWidth
  element.width = Math.round(width * scale)
  element.height = Math.round(HEIGHT * scale)
  context.scale(scale, scale)
  const style = getComputedStyle(element)
  const forced = window.matchMedia('(forced-colors: active)').matches
  const plain = forced ? 'CanvasText' : style.getPropertyValue('--color-ink-3')
  const failed = forced ? 'LinkText' : style.getPropertyValue('--color-danger')
  const { spans, tree, startedAt, endedAt, beganAt } = layout
  const levels = tree.depth.reduce((most, depth) => Math.max(most, depth + 1), 1)
  const lane = Math.min(THICKEST_LANE, Math.max(THINNEST_LANE, Math.floor(HEIGHT / levels)))
  const lastLane = Math.floor(HEIGHT / lane) - 1
  for (const errors of [false, true]) {
    context.fillStyle = errors ? failed : plain
    // In whole pixels, each drawn once: most of 50,000 spans are covered by an earlier one.
    const from = new Int32Array(lastLane + 1)
    const to = new Int32Array(lastLane + 1)
    for (let index = 0; index < spans.length; index++) {
      if ((spans[index]?.status === 'error') !== errors) continue
      const left = Math.floor(((at(startedAt, index) - beganAt) / length) * width)
      const right = Math.max(left + 1, Math.ceil(((at(endedAt, index) - beganAt) / length) * width))
      const row = Math.min(at(tree.depth, at(tree.rowOf, index)), lastLane)
      if (left >= at(from, row) && right <= at(to, row)) continue
      from[row] = left
      to[row] = right
      context.fillRect(left, row * lane, right - left, lane - 1)
    }
  }
}
