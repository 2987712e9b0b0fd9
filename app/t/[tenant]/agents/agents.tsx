'use client'

import Link from 'next/link'
import { AgentRisk } from '#components/agents/agent-risk.tsx'
import { AgentStatusShape } from '#components/agents/change-status.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, newAgentPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Unregistered } from './unregistered.tsx'

/** Lists every registered agent, newest first, and the unregistered agents that telemetry names. */
export function Agents() {
  return (
    <Permitted permission="agent:read" act="see agents" title="Agents">
      <AgentList />
    </Permitted>
  )
}

function AgentList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.agents.list, {})
  const register = (
    <ActionLink href={newAgentPath(tenant)} permission="agent:create">
      Register an agent
    </ActionLink>
  )
  return (
    <Page wide>
      <PageHeader title="Agents" action={register} />
      <PagedTable
        pages={pages}
        caption="Agents"
        columns={columns(tenant)}
        rowKey={(row) => row.id}
        failed={{ what: 'The agents', act: 'see agents', permission: 'agent:read' }}
        empty={
          <EmptyState title="No agents are registered.">
            Register an agent with a manifest that describes what it does, which tools it uses, and which data is
            sensitive.
          </EmptyState>
        }
      />
      <Section title="Seen in telemetry, not registered">
        <Unregistered />
      </Section>
    </Page>
  )
}

const columns = (tenant: string): Column<AgentSummary>[] => [
  {
    key: 'name',
    header: 'Agent',
    rowHeader: true,
    cell: (row) => (
      <Link href={agentPath(tenant, row.id)} prefetch={false} className="text-link wrap-anywhere">
        <ShownText>{row.displayName}</ShownText>
      </Link>
    ),
  },
  { key: 'status', header: 'State', cell: (row) => <AgentStatusShape status={row.status} /> },
  { key: 'version', header: 'Newest version', cell: (row) => <ShownText>{row.latestVersion}</ShownText> },
  { key: 'risk', header: 'Risk', cell: (row) => <AgentRisk tier={row.riskTier} /> },
  {
    key: 'released',
    header: 'Released',
    cell: ({ activeReleases }) =>
      activeReleases.length === 0
        ? 'Not released'
        : activeReleases.map(({ environment, version }) => `${version} in ${environment}`).join(', '),
  },
  {
    key: 'owners',
    header: 'Owners',
    cell: (row) => <ShownText>{row.owners.map((owner) => owner.displayName).join(', ')}</ShownText>,
  },
  { key: 'age', header: 'Registered', cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
