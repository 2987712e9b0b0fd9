'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import type { Effect } from '#components/policies/effect.tsx'
import { RuleList } from '#components/policies/rule-list.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatCount } from '#lib/format.ts'
import { agentPath } from '#lib/paths.ts'
import type { ReachedAgent } from '#lib/schemas/policies/rules.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Rules = Answers['policies']['rules']
type Rule = Rules['rules'][number]

const useRules = (policyId: string, version: number) => {
  const trpc = useTRPC()
  return useQuery(trpc.policies.rules.queryOptions({ policyId, version }))
}

/** The rules of one version in words next to their source, with what each decided in the last day and where it applies. */
export function Rules({ policyId, version }: { policyId: string; version: number }) {
  const { data, error, refetch } = useRules(policyId, version)
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Reading the rules…" rows={8} />
    ) : (
      <RequestFailed
        error={error}
        what="The rules"
        act="see policies"
        permission="policy:read"
        retry={() => void refetch()}
      />
    )
  return (
    <>
      <p className="text-dense text-ink-2">
        Decisions since <Time at={data.since} show="absolute" />
        {data.allCounted ? '.' : ', of the newest 20,000 in the tenant.'}
      </p>
      <RuleList rules={data.rules} more={(rule) => <Facts rule={rule} all={data} />} />
    </>
  )
}

const EFFECTS: [effect: Effect, words: string][] = [
  ['allow', 'allowed'],
  ['require_approval', 'needed an approval'],
  ['deny', 'denied'],
]

function Facts({ rule, all: { reach, reachesMore } }: { rule: Rule; all: Rules }) {
  const agents = new Set(
    reach
      .filter(({ agentName }) => rule.onlyAgent === null || agentName === rule.onlyAgent)
      .map(({ agentId }) => agentId),
  )
  const decided = EFFECTS.filter(([effect]) => rule.decisions[effect] > 0).map(
    ([effect, words]) => `${rule.decisions[effect].toLocaleString('en')} ${words}`,
  )
  return (
    <p className="text-dense text-ink-2">
      {decided.length === 0 ? 'Determined no decisions in the last day.' : `In the last day: ${decided.join(', ')}.`}{' '}
      {rule.onlyAgent !== null && agents.size === 0
        ? `Names the agent ${rule.onlyAgent}, which this version is not bound to.`
        : agents.size === 0
          ? 'Reaches none of your agents.'
          : `Reaches ${reachesMore && rule.onlyAgent === null ? 'more than ' : ''}${formatCount(agents.size, 'agent')}.`}
    </p>
  )
}

/** The agents that the active bindings of the version reach. */
export function Reach({ policyId, version }: { policyId: string; version: number }) {
  const { tenant } = useSession()
  const { data } = useRules(policyId, version)
  // The section of the rules shows errors.
  if (data === undefined) return <Skeleton label="Reading the bindings…" rows={2} />
  if (data.reach.length === 0)
    return (
      <EmptyState title={`Version ${version} doesn’t reach any agent.`}>
        No active binding names it, or no released agent has the labels of its bindings.
      </EmptyState>
    )
  return (
    <>
      <DataTable
        caption="Agents that the rules reach"
        columns={columns(tenant)}
        rows={data.reach}
        rowKey={({ agentId, environment, mode }) => `${agentId} ${environment} ${mode}`}
      />
      {data.reachesMore && <p className="text-ink-2">More agents are reached. These are the first by name.</p>}
    </>
  )
}

const columns = (tenant: string): Column<ReachedAgent>[] => [
  {
    key: 'agent',
    header: 'Agent',
    rowHeader: true,
    cell: (row) => (
      <Link href={agentPath(tenant, row.agentId)} prefetch={false} className="text-link wrap-anywhere">
        <ShownText>{row.displayName}</ShownText>
      </Link>
    ),
  },
  { key: 'environment', header: 'Environment', cell: (row) => row.environment },
  { key: 'mode', header: 'Mode', cell: (row) => (row.mode === 'enforce' ? 'Enforced' : 'Shadow: only recorded') },
  { key: 'by', header: 'Bound', cell: (row) => (row.by === 'agent' ? 'To the agent' : 'By its labels') },
]
