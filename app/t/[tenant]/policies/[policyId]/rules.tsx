'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { formatNumber } from '#components/language/formats.ts'
import type { Effect } from '#components/policies/effect.tsx'
import { RuleList } from '#components/policies/rule-list.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
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
      <Skeleton label={t.readingRules} rows={8} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theRules}
        act={t.seePolicies}
        permission="policy:read"
        retry={() => void refetch()}
      />
    )
  return (
    <>
      <p className="text-dense text-ink-2">
        {t.decisionsSinceTimeOf({
          at: () => <Time at={data.since} show="absolute" />,
          complete: String(Boolean(data.allCounted)),
        })}
      </p>
      <RuleList rules={data.rules} more={(rule) => <Facts rule={rule} all={data} />} />
    </>
  )
}

const EFFECTS: [effect: Effect, words: typeof t.wereAllowed][] = [
  ['allow', t.wereAllowed],
  ['require_approval', t.neededApproval],
  ['deny', t.wereDenied],
]

/** What a rule decided. A budget or a mask applies to calls that other rules allow or make wait. */
function decisionsOf({ obligation, decisions }: Rule): string[] {
  const applies = obligation === 'budget' || obligation === 'mask'
  const applied = decisions.allow + decisions.require_approval
  return [
    ...(applies && applied > 0 ? [t.appliedTo({ count: applied })] : []),
    ...EFFECTS.filter(([effect]) => decisions[effect] > 0 && (effect === 'deny' || !applies)).map(([effect, words]) =>
      words({ count: formatNumber(decisions[effect]) }),
    ),
  ]
}

function Facts({ rule, all: { reach, reachesMore } }: { rule: Rule; all: Rules }) {
  const agents = new Set(
    reach
      .filter(({ agentName }) => rule.onlyAgent === null || agentName === rule.onlyAgent)
      .map(({ agentId }) => agentId),
  )
  const decided = decisionsOf(rule)
  return (
    <p className="text-dense text-ink-2">
      {decided.length === 0 ? t.determinedNoDecisionsIn : t.inLastDay({ counts: decided.join(', ') })}{' '}
      {rule.onlyAgent !== null && agents.size === 0
        ? t.namesAgentWhichThis({ onlyAgent: rule.onlyAgent })
        : agents.size === 0
          ? t.reachesNoneOfYour
          : t.reachesAgents({
              more: String(Boolean(reachesMore && rule.onlyAgent === null)),
              agents: agents.size,
            })}
    </p>
  )
}

/** The agents that the active bindings of the version reach. */
export function Reach({ policyId, version }: { policyId: string; version: number }) {
  const { tenant } = useSession()
  const { data } = useRules(policyId, version)
  // The section of the rules shows errors.
  if (data === undefined) return <Skeleton label={t.readingBindings} rows={2} />
  if (data.reach.length === 0)
    return <EmptyState title={t.versionDoesntReachAny({ version })}>{t.noActiveBindingNames}</EmptyState>
  return (
    <>
      <DataTable
        caption={t.agentsThatRulesReach}
        columns={columns(tenant)}
        rows={data.reach}
        rowKey={({ agentId, environment, mode }) => `${agentId} ${environment} ${mode}`}
      />
      {data.reachesMore && <p className="text-ink-2">{t.moreAgentsAreReached}</p>}
    </>
  )
}

const columns = (tenant: string): Column<ReachedAgent>[] => [
  {
    key: 'agent',
    header: t.agent,
    rowHeader: true,
    cell: (row) => (
      <Link href={agentPath(tenant, row.agentId)} prefetch={false} className="text-link wrap-anywhere">
        <ShownText>{row.displayName}</ShownText>
      </Link>
    ),
  },
  { key: 'environment', header: t.environment, cell: (row) => row.environment },
  { key: 'mode', header: t.mode, cell: (row) => (row.mode === 'enforce' ? t.enforced : t.shadowOnlyRecorded) },
  { key: 'by', header: t.bound, cell: (row) => (row.by === 'agent' ? t.toAgent : t.byItsLabels) },
]
