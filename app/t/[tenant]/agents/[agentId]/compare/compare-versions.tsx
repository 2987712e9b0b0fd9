'use client'

import { useParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { addressSearch, replaceAddress, useAddressSearch } from '#components/lists/address.ts'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { agentPath, agentsPath, compareAgentPath } from '#lib/paths.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Changes } from './changes.tsx'

/** Compares two versions of an agent. The address names both. */
export function CompareVersions() {
  const { agentId } = useParams<{ agentId: string }>()
  return (
    <Permitted permission="agent:read" act="see agents" title="Compare versions">
      <OneAgent key={agentId} id={agentId} />
    </Permitted>
  )
}

function OneAgent({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data: agent, error, refetch } = useQuery(trpc.agents.get.queryOptions({ id }))
  const crumbs = [{ label: 'Agents', href: agentsPath(tenant) }]
  if (agent === undefined)
    return (
      <Page>
        <PageHeader title="Compare versions" crumbs={crumbs} />
        {error === null ? (
          <Skeleton label="Loading the agent…" rows={8} />
        ) : (
          <RequestFailed
            error={error}
            what="The agent"
            act="see agents"
            permission="agent:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page>
      <PageHeader
        title={
          <>
            Compare versions of <ShownText>{agent.displayName}</ShownText>
          </>
        }
        crumbs={[...crumbs, { label: agent.displayName, href: agentPath(tenant, id) }]}
        id="Compare"
      />
      {agent.versions.length < 2 ? (
        <EmptyState title="There is only one version.">
          To compare versions, register another manifest with the same name and different content.
        </EmptyState>
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
          label="From version"
          value={from}
          onChange={(value) => show({ from: value })}
          options={options}
          placeholder="Choose a version"
        />
        <SelectField
          label="To version"
          value={to}
          onChange={(value) => show({ to: value })}
          options={options}
          placeholder="Choose a version"
        />
      </div>
      {from === to ? (
        <EmptyState title="Both are the same version.">Choose two versions that differ.</EmptyState>
      ) : (
        <Changes key={`${from} ${to}`} agentId={id} from={from} to={to} />
      )}
    </>
  )
}
