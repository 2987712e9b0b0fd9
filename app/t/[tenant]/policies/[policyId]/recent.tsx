'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentPath, decisionPath, executionPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Row = Answers['policies']['decisions']['items'][number]

const perPage = 10

/** Lists the newest decisions that rules of the policy determined, in any of its versions. */
export function Recent({ policyId }: { policyId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.policies.decisions, { policyId, limit: perPage })
  return (
    <PagedTable
      pages={pages}
      caption="Recent matches"
      columns={columns(tenant)}
      rowKey={(row) => row.decisionId}
      failed={{ what: 'The decisions', act: 'see policies', permission: 'policy:read' }}
      empty={
        <EmptyState title="No recent matches.">
          {pages.hasMore
            ? 'Load older decisions to search further.'
            : 'Decisions appear here when an agent that the policy is bound to makes a call.'}
        </EmptyState>
      }
    />
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'what',
    header: 'Call',
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <code className="wrap-break-word font-mono text-dense">
          <ShownText breaks>{row.resource}</ShownText>
        </code>
        <span className="text-dense">
          <Link href={agentPath(tenant, row.agentId)} prefetch={false} className="text-link">
            <ShownText>{row.agentName}</ShownText>
          </Link>{' '}
          in {row.environment}
        </span>
      </span>
    ),
  },
  { key: 'effect', header: 'Decision', cell: (row) => <EffectShape effect={row.effect} /> },
  { key: 'why', header: 'Rule', cell: (row) => <Reasons reasons={row.reasons} /> },
  {
    key: 'where',
    header: 'Execution',
    cell: ({ executionId, stepId }) =>
      executionId === null ? (
        'External agent'
      ) : (
        <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
          Step <ShownText>{stepId ?? ''}</ShownText>
        </Link>
      ),
  },
  {
    key: 'at',
    header: 'Decided',
    cell: (row) => (
      <Link href={decisionPath(tenant, row.decisionId)} prefetch={false} className="text-link inline-block">
        <VisuallyHidden>Decision of </VisuallyHidden>
        <Time at={row.decidedAt} show="absolute" />
      </Link>
    ),
  },
]
