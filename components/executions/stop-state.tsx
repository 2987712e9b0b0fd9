import * as t from '#components/texts/execution-rows/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'

type Stop = Pick<ExecutionSummary, 'status' | 'stopConfirmedAt'> & { stopRequestedAt: string }

/** Whether a stop is confirmed, and since when. A request to stop is never shown as a confirmed stop. */
export function StopState({ stop: { status, stopConfirmedAt } }: { stop: Stop }) {
  if (stopConfirmedAt !== null)
    return (
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        <StatusShape status="approved" label={t.confirmed} /> <Time at={stopConfirmedAt} show="absolute" />
      </span>
    )
  if (status === 'indeterminate')
    return (
      <span className="flex flex-col">
        <StatusShape status="failed" label={t.cantBeConfirmed} />
        <span className="text-dense text-ink-2">{t.noFurtherCallsAre}</span>
      </span>
    )
  return <StatusShape status="running" label={t.notConfirmedYet} />
}
