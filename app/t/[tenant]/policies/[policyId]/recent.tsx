'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { type Column, DataTable } from '#components/ui/data-table.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ShownText } from '#components/ui/shown-text.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/time.tsx'
import { formatCount } from '#lib/format.ts'
import { agentPath, executionPath } from '#lib/paths.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Row = Answers['policies']['decisions']['items'][number]

/** The newest decisions that the policy's rules determined, in whichever version. */
export function Recent({ policyId }: { policyId: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.policies.decisions.queryOptions({ policyId, limit: 20 }))
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Loading the decisions" rows={4} />
    ) : (
      <RequestFailed
        error={error}
        what="The decisions"
        plural
        act="see policies"
        permission="policy:read"
        retry={() => void refetch()}
      />
    )
  if (data.items.length === 0)
    return (
      <EmptyState title="No rule of it has determined a decision.">
        The newest {formatCount(data.searched, 'decision')} of the organisation were looked through.
      </EmptyState>
    )
  return (
    <DataTable caption="Recent matches" columns={columns(tenant)} rows={data.items} rowKey={(row) => row.decisionId} />
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'what',
    header: 'Call',
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <code className="wrap-anywhere font-mono text-dense">
          <ShownText>{row.resource}</ShownText>
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
        'Asked from elsewhere'
      ) : (
        <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
          Step <ShownText>{stepId ?? ''}</ShownText>
        </Link>
      ),
  },
  { key: 'at', header: 'When', cell: (row) => <Time at={row.decidedAt} show="absolute" /> },
]
