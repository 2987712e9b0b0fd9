import Link from 'next/link'
import { waitsText } from '#components/agents/waits-text.ts'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { failedShare } from '#components/figures/shares.ts'
import { RunBars } from '#components/figures/sparkline.tsx'
import { formatNumber, formatShare } from '#components/language/formats.ts'
import * as t from '#components/texts/agents/en.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { executionPath, executionsPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import type { AgentActivity } from '#lib/schemas/home/overview.ts'

/** What each agent did in the last two weeks. Empty cells until it is known. */
export const activityColumns = (
  tenant: string,
  activity: ReadonlyMap<string, AgentActivity>,
): Column<AgentSummary>[] => [
  {
    key: 'last',
    header: t.lastExecution,
    cell: ({ id }) => {
      const one = activity.get(id)
      if (one === undefined) return null
      if (one.lastRun === null) return <span className="text-ink-2">{t.noneYet}</span>
      return (
        <span className="flex flex-col">
          <Link
            href={executionPath(tenant, one.lastRun.executionId)}
            prefetch={false}
            className="text-link w-fit max-rail:inline-block max-rail:py-3"
          >
            <Time at={one.lastRun.startedAt} show="relative" />
          </Link>
          <span className="text-dense">
            <ExecutionStatusShape status={one.lastRun.status} />
          </span>
        </span>
      )
    },
  },
  {
    key: 'waits',
    header: t.waitsFor,
    cell: ({ id }) => {
      const one = activity.get(id)
      const text = one === undefined ? undefined : waitsText(one)
      return text === undefined ? null : (
        <Link
          href={executionsPath(tenant, { agentId: id, status: 'under-way' })}
          prefetch={false}
          className="text-link max-rail:inline-block max-rail:py-3"
        >
          {text}
        </Link>
      )
    },
  },
  {
    key: 'failed',
    header: <>{t.failedInTwoWeeks({ hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}</>,
    align: 'end',
    cell: ({ id }) => {
      const one = activity.get(id)
      if (one === undefined) return null
      const all = one.byDay.reduce(
        (sum, { ended, failed }) => ({ ended: sum.ended + ended, failed: sum.failed + failed }),
        { ended: 0, failed: 0 },
      )
      const share = failedShare(all)
      if (share === null) return null
      return (
        <span className="whitespace-nowrap">
          <span className={all.failed > 0 ? 'font-semibold text-danger' : undefined}>{formatShare(share)}</span>{' '}
          <span className="text-ink-2">{t.ofEnded({ ended: formatNumber(all.ended) })}</span>
        </span>
      )
    },
  },
  {
    key: 'fortnight',
    header: t.twoWeeks,
    cell: ({ id }) => {
      const one = activity.get(id)
      return one === undefined ? null : <RunBars days={one.byDay} />
    },
  },
]
