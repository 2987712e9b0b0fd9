'use client'

import Link from 'next/link'
import { useMemo } from 'react'
import { AgentRisk } from '#components/agents/agent-risk.tsx'
import { AgentStatusShape } from '#components/agents/change-status.tsx'
import { useActivity } from '#components/agents/use-activity.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { formatNumber } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agents/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentPath, newAgentPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import type { AgentActivity } from '#lib/schemas/home/overview.ts'
import { useTRPC } from '#lib/trpc.ts'
import { activityColumns } from './activity-columns.tsx'
import { AgentMenu } from './agent-menu.tsx'
import { Unregistered } from './unregistered.tsx'

const refreshMs = 10_000
const none: AgentSummary[] = []

/** Lists every registered agent with what it does, newest first, and the unregistered agents that telemetry names. */
export function Agents() {
  return (
    <Permitted permission="agent:read" act={t.seeAgents} title={t.agents}>
      <AgentList />
    </Permitted>
  )
}

function AgentList() {
  const trpc = useTRPC()
  const { tenant, can } = useSession()
  useChanges(['agents', 'releases'], refreshMs)
  const pages = usePages(trpc.agents.list, {})
  const { items = none } = pages
  const activity = useActivity(items.map(({ id }) => id))
  const byAgent = useMemo(() => new Map(activity.data?.items.map((one) => [one.agentId, one])), [activity.data])
  const withActivity = can('execution:read')
  const columns = useMemo(() => columnsOf(tenant, byAgent, withActivity), [tenant, byAgent, withActivity])
  return (
    <Page wide>
      <PageHeader
        title={t.agents}
        lead={items.length > 0 && <Lead agents={items} activity={byAgent} hasMore={pages.hasMore} />}
        action={
          <ActionLink href={newAgentPath(tenant)} permission="agent:create" hotkey="n">
            {t.registerAgent}
          </ActionLink>
        }
      />
      {activity.error !== null && activity.data === undefined && (
        <RequestFailed
          error={activity.error}
          what={t.figuresOfAgents}
          plural
          act={t.seeExecutions}
          permission="execution:read"
          retry={() => void activity.refetch()}
        />
      )}
      <PagedTable
        pages={pages}
        caption={t.agents}
        columns={columns}
        rowKey={(row) => row.id}
        failed={{ what: t.theAgents, act: t.seeAgents, permission: 'agent:read' }}
        empty={<EmptyState title={t.noAgentsAreRegistered}>{t.registerAgentWithManifest}</EmptyState>}
      />
      {/* Below a list that is loading, its links would move. */}
      {(pages.items !== undefined || pages.error !== null) && (
        <Section title={t.seenInTelemetryNot}>
          <Unregistered />
        </Section>
      )}
    </Page>
  )
}

type LeadProps = { agents: readonly AgentSummary[]; activity: ReadonlyMap<string, AgentActivity>; hasMore: boolean }

/** "8 active, 1 suspended. 12 executions run." */
function Lead({ agents, activity, hasMore }: LeadProps) {
  const of = (status: AgentSummary['status']) => agents.filter((agent) => agent.status === status).length
  const running = [...activity.values()].reduce((sum, one) => sum + one.running, 0)
  const suspended = of('suspended')
  return (
    <p>
      {t.summary({
        active: formatNumber(of('active')),
        more: String(hasMore),
        anySuspended: String(suspended > 0),
        suspended: formatNumber(suspended),
        strong: (content) => <strong className="font-semibold text-danger">{content}</strong>,
        running,
      })}
    </p>
  )
}

const columnsOf = (
  tenant: string,
  activity: ReadonlyMap<string, AgentActivity>,
  withActivity: boolean,
): Column<AgentSummary>[] => [
  {
    key: 'name',
    header: t.agent,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <Link
          href={agentPath(tenant, row.id)}
          prefetch={false}
          className="row-link text-link wrap-anywhere w-fit font-semibold"
        >
          <ShownText>{row.displayName}</ShownText>
        </Link>
        <span className="text-dense text-ink-2">
          <ShownText>{row.latestVersion}</ShownText>, {releasedIn(row)}
        </span>
      </span>
    ),
  },
  { key: 'status', header: t.state, cell: (row) => <AgentStatusShape status={row.status} /> },
  ...(withActivity ? activityColumns(tenant, activity) : []),
  { key: 'risk', header: t.risk, cell: (row) => <AgentRisk tier={row.riskTier} /> },
  {
    key: 'owners',
    header: t.owners,
    cell: (row) => <ShownText>{row.owners.map((owner) => owner.displayName).join(', ')}</ShownText>,
  },
  {
    key: 'menu',
    header: <VisuallyHidden>{t.actions}</VisuallyHidden>,
    align: 'end',
    cell: (row) => <AgentMenu agent={row} />,
  },
]

/** "1.0.0 in production", or in which environments the newest version runs. */
function releasedIn({ activeReleases, latestVersion }: AgentSummary): string {
  if (activeReleases.length === 0) return t.notReleased
  const other = activeReleases.some(({ version }) => version !== latestVersion)
  const places = activeReleases.map(({ environment, version }) =>
    other ? t.versionIn({ version, environment }) : environment,
  )
  return other ? t.releasedAs({ places: places.join(', ') }) : t.releasedIn({ environments: places.join(', ') })
}
