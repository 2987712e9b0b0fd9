'use client'

import Link from 'next/link'
import { useActivity } from '#components/agents/use-activity.ts'
import { waitsText } from '#components/agents/waits-text.ts'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { Figure, FigureRow } from '#components/figures/figure.tsx'
import { FigureSkeleton } from '#components/figures/figure-skeleton.tsx'
import { failedShare } from '#components/figures/shares.ts'
import { formatNumber, formatShare } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath, executionsPath } from '#lib/paths.ts'

/** What the agent did in two weeks, what waits, and its last execution. */
export function AgentFigures({ agentId }: { agentId: string }) {
  const { tenant, can } = useSession()
  const { data, error, refetch } = useActivity([agentId])
  // Those who may not see executions find the reason at the list of stops.
  if (!can('execution:read')) return null
  if (error !== null && data === undefined)
    return (
      <RequestFailed
        error={error}
        what={t.theFigures}
        plural
        act={t.seeExecutions}
        permission="execution:read"
        retry={() => void refetch()}
      />
    )
  const activity = data?.items[0]
  if (data === undefined || activity === undefined) return <FigureSkeleton figures={3} />
  const { byDay, lastRun } = activity
  const today = byDay.at(-1) ?? { ended: 0, failed: 0 }
  const share = failedShare(today)
  return (
    <FigureRow>
      <Figure
        title={t.endedExecutions}
        unit={t.perDay}
        days={data.days}
        series={{
          key: t.ended,
          today: formatNumber(today.ended),
          byDay: byDay.map(({ ended }) => ended),
          format: formatNumber,
        }}
      />
      <Figure
        title={t.failed}
        unit={t.ofEnded}
        days={data.days}
        series={{
          key: t.failed,
          today: share === null ? t.noneEnded : formatShare(share),
          note: share === null ? t.todayWord : t.today({ failed: formatNumber(today.failed) }),
          byDay: byDay.map(failedShare),
          format: formatShare,
          bad: 'more',
        }}
      />
      <section className="flex flex-col gap-1.5 px-2 py-3 rail:px-4" aria-label={t.now}>
        <h3 className="font-normal text-ink-2">{t.now}</h3>
        <p>
          <Link href={executionsPath(tenant, { agentId, status: 'under-way' })} prefetch={false} className="text-link">
            {activity.running === 0 ? t.nothingIsRunning : t.running({ running: formatNumber(activity.running) })}
          </Link>
        </p>
        <p>{waitsText(activity) ?? t.nothingWaits}</p>
        <p className="text-ink-2">
          {lastRun === null
            ? t.itHasNotRun
            : t.lastExecutionWithStatus({
                link: () => (
                  <Link href={executionPath(tenant, lastRun.executionId)} prefetch={false} className="text-link">
                    <Time at={lastRun.startedAt} show="relative" />
                  </Link>
                ),
                executionStatusShape: () => <ExecutionStatusShape status={lastRun.status} />,
              })}
        </p>
      </section>
    </FigureRow>
  )
}
