'use client'

import { useParams } from 'next/navigation'
import { AgentRisk } from '#components/agents/agent-risk.tsx'
import { AgentStatusShape } from '#components/agents/change-status.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { SourceView } from '#components/code/source-view.tsx'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentsPath, compareAgentPath, newExecutionPath } from '#lib/paths.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AgentFigures } from './agent-figures.tsx'
import { Bindings } from './bindings.tsx'
import { Gateway } from './gateway.tsx'
import { KillSwitch } from './kill-switch.tsx'
import { ReleasedTools } from './released-tools.tsx'
import { Releases } from './releases.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 10_000

/** Shows one agent: its releases, policy bindings, kill switch, versions and manifest. */
export function Agent() {
  const { agentId } = useParams<{ agentId: string }>()
  return (
    <Permitted permission="agent:read" act={t.seeAgents} title={t.agent}>
      <OneAgent key={agentId} id={agentId} />
    </Permitted>
  )
}

function OneAgent({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data: agent, error, refetch } = useQuery(trpc.agents.get.queryOptions({ id }))
  useChanges(['agents', 'releases', 'policyBindings'], refreshMs)
  const crumbs = [{ label: t.agents, href: agentsPath(tenant) }]
  const shownId = <Copyable value={id} label={t.agentId} shorten="middle" />
  if (agent === undefined)
    return (
      <Page>
        <PageHeader title={t.agent} crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label={t.loadingAgent} rows={10} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theAgent}
            act={t.seeAgents}
            permission="agent:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  const previous = agent.versions.find(({ version }) => version !== agent.latestVersion)
  return (
    <Page wide>
      <PageHeader
        title={<ShownText>{agent.displayName}</ShownText>}
        crumbs={crumbs}
        id={shownId}
        facts={<Facts agent={agent} />}
        action={
          <ActionLink
            href={newExecutionPath(tenant, { agentId: agent.id })}
            permission="execution:start"
            blocked={BLOCKED[agent.status]}
            hotkey="n"
          >
            {t.startExecution}
          </ActionLink>
        }
      />
      <KillSwitch agent={agent} />
      <AgentFigures agentId={agent.id} />
      {agent.description !== null && (
        <p className="max-w-[75ch]">
          <ShownText>{agent.description}</ShownText>
        </p>
      )}
      <Section title={t.releases}>
        <Releases agent={agent} />
      </Section>
      <ReleasedTools agent={agent} />
      <Gateway agent={agent} />
      <Section title={t.policyBindings}>
        <Bindings agent={agent} />
      </Section>
      <Section title={t.versions}>
        <DataTable caption={t.versions} columns={VERSIONS} rows={agent.versions} rowKey={(version) => version.id} />
        {previous !== undefined && (
          <div>
            <LinkButton href={compareAgentPath(tenant, id, { from: previous.version, to: agent.latestVersion })}>
              {t.compareWith({ latestVersion: agent.latestVersion, version: previous.version })}
            </LinkButton>
          </div>
        )}
      </Section>
      <Section title={t.manifestOf({ latestVersion: agent.latestVersion })}>
        <SourceView source={agent.manifestYaml} label={t.manifest} />
      </Section>
    </Page>
  )
}

const BLOCKED: Partial<Record<AgentDetail['status'], string>> = {
  suspended: t.agentIsSuspendedSo,
  retired: t.agentIsRetiredSo,
}

function Facts({ agent: { status, name, riskTier, owners } }: { agent: AgentDetail }) {
  return (
    <>
      <AgentStatusShape status={status} boxed />
      <code className="font-mono text-dense">
        <ShownText>{name}</ShownText>
      </code>
      <AgentRisk tier={riskTier} boxed />
      <span>{t.ownedBy({ owners: owners.map((owner) => owner.displayName).join(', '), shown: shownText })}</span>
    </>
  )
}

const VERSIONS: Column<AgentDetail['versions'][number]>[] = [
  {
    key: 'version',
    header: t.version,
    rowHeader: true,
    cell: (row) => <ShownText>{row.version}</ShownText>,
  },
  {
    key: 'digest',
    header: t.sha256OfManifest,
    cell: (row) => <ShortDigest digest={row.manifestDigest} of={t.manifestNamed({ version: row.version })} />,
  },
  { key: 'by', header: t.registeredBy, cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'at', header: t.registered, cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
