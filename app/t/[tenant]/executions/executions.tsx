'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath, executionsPath, newExecutionPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { filterFrom, inputOf } from './filter.ts'
import { Filters } from './filters.tsx'

const refreshMs = 5000

/** Executions, newest first. The filters are in the address. */
export function Executions() {
  return (
    <Permitted permission="execution:read" act="see executions" title="Executions">
      <ExecutionList />
    </Permitted>
  )
}

function ExecutionList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const filter = filterFrom(useSearchParams())
  const filtered = filter.status !== '' || filter.agentId !== ''
  useChanges(['executions'], refreshMs)
  const pages = usePages(trpc.executions.list, inputOf(filter))
  return (
    <Page wide>
      <PageHeader
        title="Executions"
        action={
          <ActionLink href={newExecutionPath(tenant)} permission="execution:start">
            Start an execution
          </ActionLink>
        }
      />
      <Filters filter={filter} />
      <PagedTable
        pages={pages}
        caption="Executions"
        columns={columns(tenant)}
        rowKey={(row) => row.id}
        failed={{ what: 'The executions', act: 'see executions', permission: 'execution:read' }}
        empty={
          filtered ? (
            <EmptyState
              title="No executions match these filters."
              action={
                <Link href={executionsPath(tenant)} className="text-link inline-flex min-h-6 items-center">
                  Show all executions
                </Link>
              }
            >
              Change the filters above to see other executions.
            </EmptyState>
          ) : (
            <EmptyState title="No executions yet.">
              An agent can run once its policy binding and its release for an environment are approved.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns = (tenant: string): Column<ExecutionSummary>[] => [
  {
    key: 'agent',
    header: 'Agent',
    rowHeader: true,
    cell: (row) => (
      <Link href={executionPath(tenant, row.id)} className="text-link wrap-anywhere" prefetch={false}>
        <ShownText>{row.agentName}</ShownText> <ShownText>{row.agentVersion}</ShownText>
      </Link>
    ),
  },
  { key: 'status', header: 'State', cell: (row) => <ExecutionStatusShape status={row.status} /> },
  { key: 'environment', header: 'Environment', cell: (row) => row.environment },
  { key: 'by', header: 'Started by', cell: (row) => <ShownText>{row.startedBy.displayName}</ShownText> },
  { key: 'age', header: 'Started', cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
