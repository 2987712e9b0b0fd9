'use client'

import { useSearchParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { limits } from '#lib/limits.ts'
import { executionsPath, newAgentPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { StartForm } from './start-form.tsx'

/** The page with the form to start an execution. */
export function StartExecution() {
  return (
    <Permitted permission="execution:start" act="start executions" title="Start an execution">
      <WithAgents />
    </Permitted>
  )
}

function WithAgents() {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const wanted = useSearchParams().get('agentId') ?? undefined
  const { data, error, refetch } = useQuery(trpc.agents.list.queryOptions({ limit: limits.pageRows }))
  return (
    <Page>
      <PageHeader
        title="Start an execution"
        crumbs={[{ label: 'Executions', href: executionsPath(tenant) }]}
        id="New"
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton label="Loading agents…" rows={6} rowClass="h-12" />
        ) : (
          <RequestFailed
            error={error}
            what="The agents"
            plural
            act="see agents"
            permission="agent:read"
            retry={() => void refetch()}
          />
        )
      ) : data.items.length === 0 ? (
        <EmptyState
          title="No agents yet."
          action={
            <ActionLink href={newAgentPath(tenant)} permission="agent:create">
              Register an agent
            </ActionLink>
          }
        >
          Register one. It can run once its policy binding and its release are approved.
        </EmptyState>
      ) : (
        <StartForm agents={data.items} wanted={wanted} />
      )}
    </Page>
  )
}
