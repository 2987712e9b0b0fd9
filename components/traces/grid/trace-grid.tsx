'use client'

import type { ComponentProps } from 'react'
import { formatDuration } from '#components/language/formats.ts'
import * as t from '#components/texts/traces/en.ts'
import { at } from '#components/traces/model/span-tree.ts'
import type { TraceLayout } from '#components/traces/model/trace-layout.ts'
import { AxisHeader, FoldBands } from './axis-header.tsx'
import { TraceRow } from './trace-row.tsx'
import { TreeGrid } from './tree-grid.tsx'

type TraceGridProps = { layout: TraceLayout } & Omit<
  ComponentProps<typeof TreeGrid>,
  'label' | 'tree' | 'header' | 'backdrop' | 'row'
>

/** The waterfall: a row and a bar for each span. */
export function TraceGrid({ layout, ...grid }: TraceGridProps) {
  return (
    <TreeGrid
      {...grid}
      label={t.spansOfTrace}
      tree={layout.tree}
      header={<AxisHeader axis={layout.axis} />}
      backdrop={<FoldBands axis={layout.axis} />}
      row={({ span: index, ...row }) => {
        const span = layout.spans[index]
        if (span === undefined) return null
        const from = at(layout.startedAt, index)
        const to = at(layout.endedAt, index)
        const x = layout.axis.place(from)
        return (
          <TraceRow {...row} span={span} duration={formatDuration(to - from)} x={x} width={layout.axis.place(to) - x} />
        )
      }}
    />
  )
}
