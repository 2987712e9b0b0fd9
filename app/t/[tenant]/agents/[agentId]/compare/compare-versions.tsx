'use client'

import { useParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { addressSearch, replaceAddress, useAddressSearch } from '#components/lists/address.ts'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { agentPath, agentsPath, compareAgentPath } from '#lib/paths.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Changes } from './changes.tsx'

/** Compares two versions of an agent. The address names both. */
export function CompareVersions() {
  const { agentId } = useParams<{ agentId: string }>()
  return (
    <Permitted permission="agent:read" act={t.seeAgents} title={t.compareVersions}>
      <OneAgent key={agentId} id={agentId} />
    </Permitted>
  )
}

function OneAgent({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data: agent, error, refetch } = useQuery(trpc.agents.get.queryOptions({ id }))
  const crumbs = [{ label: t.agents, href: agentsPath(tenant) }]
  if (agent === undefined)
    return (
      <Page>
        <PageHeader title={t.compareVersions} crumbs={crumbs} />
        {error === null ? (
          <Skeleton label={t.loadingAgent} rows={8} />
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
  return (
    <Page>
      <PageHeader
        title={t.compareVersionsOf({ agent: agent.displayName, shown: shownText })}
        crumbs={[...crumbs, { label: agent.displayName, href: agentPath(tenant, id) }]}
        id="Compare"
      />
      {agent.versions.length < 2 ? (
        <EmptyState title={t.thereIsOnlyOne}>{t.toCompareVersionsRegister}</EmptyState>
      ) : (
        <Choice agent={agent} />
      )}
    </Page>
  )
}

/** The two versions to compare. By default, the newest version is compared with the previous one. */
function Choice({ agent: { id, versions } }: { agent: AgentDetail }) {
  const { tenant } = useSession()
  const search = useAddressSearch()
  const from = search.get('from') ?? versions[1]?.version ?? ''
  const to = search.get('to') ?? versions[0]?.version ?? ''
  const show = (change: Partial<{ from: string; to: string }>) => {
    const now = addressSearch()
    replaceAddress(compareAgentPath(tenant, id, { from: now.get('from') ?? from, to: now.get('to') ?? to, ...change }))
  }
  const options = [...new Set([...versions.map(({ version }) => version), from, to])].map((version) => ({
    value: version,
    label: version,
  }))
  return (
    <>
      <div className="flex flex-wrap gap-x-4 gap-y-3 *:w-full *:narrow:w-60">
        <SelectField
          label={t.fromVersion}
          value={from}
          onChange={(value) => show({ from: value })}
          options={options}
          placeholder={t.chooseVersion}
        />
        <SelectField
          label={t.toVersion}
          value={to}
          onChange={(value) => show({ to: value })}
          options={options}
          placeholder={t.chooseVersion}
        />
      </div>
      {from === to ? (
        <EmptyState title={t.bothAreSameVersion}>{t.chooseTwoVersionsThat}</EmptyState>
      ) : (
        <Changes key={`${from} ${to}`} agentId={id} from={from} to={to} />
      )}
    </>
  )
}
