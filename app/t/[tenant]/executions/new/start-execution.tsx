'use client'

import { useSearchParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { isNew } from '#components/texts/page/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { limits } from '#lib/limits.ts'
import { executionsPath, newAgentPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { StartForm } from './start-form.tsx'

/** The page with the form to start an execution. */
export function StartExecution() {
  return (
    <Permitted permission="execution:start" act={t.startExecutions} title={t.startExecution}>
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
        title={t.startExecution}
        crumbs={[{ label: t.executions, href: executionsPath(tenant) }]}
        id={isNew}
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton label={t.loadingAgents} rows={6} rowClass="h-12" />
        ) : (
          <RequestFailed
            error={error}
            what={t.theAgents}
            plural
            act={t.seeAgents}
            permission="agent:read"
            retry={() => void refetch()}
          />
        )
      ) : data.items.length === 0 ? (
        <EmptyState
          title={t.noAgentsYet}
          action={
            <ActionLink href={newAgentPath(tenant)} permission="agent:create">
              {t.registerAgent}
            </ActionLink>
          }
        >
          {t.registerOneItCan}
        </EmptyState>
      ) : (
        <StartForm agents={data.items} wanted={wanted} />
      )}
    </Page>
  )
}
