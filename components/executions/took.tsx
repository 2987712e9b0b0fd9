'use client'

import { formatDuration } from '#components/language/formats.ts'
import { useMoment } from '#components/ui/text/now.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { formatSoFar, soFar } from './so-far.ts'

const width = 46
/** At which the bar is full. */
const dayMs = 86_400_000

type TookProps = {
  execution: Pick<ExecutionSummary, 'createdAt' | 'durationMs' | 'status'>
  bar?: boolean
}

/** How long the execution took, or has taken until now; in a list with a bar by which rows can be compared. */
export function Took({ execution, bar = false }: TookProps) {
  const { createdAt, durationMs } = execution
  const began = Date.parse(createdAt)
  const elapsed = useMoment((now) => (durationMs === null ? soFar(began, now) : 0))
  const took = durationMs ?? elapsed
  if (took === undefined) return null
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap tabular-nums">
      {durationMs === null ? formatSoFar(took) : formatDuration(took)}
      {bar && (
        <svg viewBox={`0 0 ${width} 6`} aria-hidden="true" className="h-1.5 w-[46px] shrink-0 max-narrow:hidden">
          <rect
            width={barOf(took)}
            height={6}
            className={execution.status === 'failed' ? 'fill-danger' : 'fill-ink-2'}
          />
        </svg>
      )}
    </span>
  )
}

/** Logarithmic: most executions take seconds, and some wait for people for hours. */
const barOf = (ms: number): number => Math.max(2, Math.min(1, Math.log10(1 + ms) / Math.log10(dayMs)) * width)
