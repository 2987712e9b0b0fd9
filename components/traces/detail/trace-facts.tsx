import type { ReactNode } from 'react'
import { traceFigures } from '#components/traces/model/trace-figures.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { formatCount, formatDuration } from '#lib/format.ts'

/** The line under the title of a trace: state, duration and counts. */
export function TraceFacts({ spans, ended }: { spans: readonly TraceSpan[]; ended: boolean }) {
  const figures = traceFigures(spans)
  const rootFailed = spans.some((span) => span.parentSpanId === null && span.status === 'error')
  return (
    <>
      <TraceStatus ended={ended} failed={rootFailed} />
      {figures.endedAt !== undefined && spans.length > 0 && (
        <Fact>Duration {formatDuration(figures.endedAt - figures.startedAt)}</Fact>
      )}
      <Fact>{formatCount(figures.spans, 'span')}</Fact>
      <Fact>{formatCount(figures.errors, 'error')}</Fact>
      <Fact>{formatCount(figures.policyChecks, 'policy check')}</Fact>
      <Fact>{formatCount(figures.approvals, 'approval')}</Fact>
    </>
  )
}

/** A trace does not have an outcome: it is open, or it ended with or without an error at its root. */
export function TraceStatus({ ended, failed }: { ended: boolean; failed: boolean }) {
  if (!ended) return <StatusShape status="running" boxed />
  if (failed) return <StatusShape status="failed" label="Ended with an error" boxed />
  return <StatusShape status="approved" label="Ended" boxed />
}

const Fact = ({ children }: { children: ReactNode }) => <span className="whitespace-nowrap">{children}</span>
