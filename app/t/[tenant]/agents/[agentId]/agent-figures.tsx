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
        what="The figures"
        plural
        act="see executions"
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
        title="Ended executions"
        unit="per day"
        days={data.days}
        series={{
          key: 'Ended',
          today: formatNumber(today.ended),
          byDay: byDay.map(({ ended }) => ended),
          format: formatNumber,
        }}
      />
      <Figure
        title="Failed"
        unit="of ended"
        days={data.days}
        series={{
          key: 'Failed',
          today: share === null ? 'None ended' : formatShare(share),
          note: share === null ? 'today' : `${formatNumber(today.failed)} today`,
          byDay: byDay.map(failedShare),
          format: formatShare,
          bad: 'more',
        }}
      />
      <section className="flex flex-col gap-1.5 px-2 py-3 rail:px-4" aria-label="Now">
        <h3 className="font-normal text-ink-2">Now</h3>
        <p>
          <Link href={executionsPath(tenant, { agentId, status: 'under-way' })} prefetch={false} className="text-link">
            {activity.running === 0 ? 'Nothing is running' : `${formatNumber(activity.running)} running`}
          </Link>
        </p>
        <p>{waitsText(activity) ?? 'Nothing waits'}</p>
        <p className="text-ink-2">
          {lastRun === null ? (
            'It has not run yet.'
          ) : (
            <>
              Last execution:{' '}
              <Link href={executionPath(tenant, lastRun.executionId)} prefetch={false} className="text-link">
                <Time at={lastRun.startedAt} show="relative" />
              </Link>{' '}
              <ExecutionStatusShape status={lastRun.status} />
            </>
          )}
        </p>
      </section>
    </FigureRow>
  )
}
