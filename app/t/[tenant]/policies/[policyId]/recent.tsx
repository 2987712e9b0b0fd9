'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentPath, decisionPath, executionPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Row = Answers['policies']['decisions']['items'][number]

const perPage = 10

/** Lists the newest decisions that rules of the policy determined, in any of its versions. */
export function Recent({ policyId }: { policyId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.policies.decisions, { policyId, limit: perPage })
  return (
    <PagedTable
      pages={pages}
      caption={t.recentMatches}
      columns={columns(tenant)}
      rowKey={(row) => row.decisionId}
      failed={{ what: t.theDecisions, act: t.seePolicies, permission: 'policy:read' }}
      empty={
        <EmptyState title={t.noRecentMatches}>
          {pages.hasMore ? t.loadOlderDecisionsTo : t.decisionsAppearHereWhen}
        </EmptyState>
      }
    />
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'what',
    header: t.call,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <code className="wrap-break-word font-mono text-dense">
          <ShownText breaks>{row.resource}</ShownText>
        </code>
        <span className="text-dense">
          {t.linkedAgentIn({
            agentName: row.agentName,
            shown: shownText,
            link: (content) => (
              <Link href={agentPath(tenant, row.agentId)} prefetch={false} className="text-link">
                {content}
              </Link>
            ),
            environment: row.environment,
          })}
        </span>
      </span>
    ),
  },
  { key: 'effect', header: t.decision, cell: (row) => <EffectShape effect={row.effect} /> },
  { key: 'why', header: t.rule, cell: (row) => <Reasons reasons={row.reasons} /> },
  {
    key: 'where',
    header: t.execution,
    cell: ({ executionId, stepId }) =>
      executionId === null ? (
        t.externalAgent
      ) : (
        <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
          {t.stepLink({ stepId: stepId ?? '', shown: shownText })}
        </Link>
      ),
  },
  {
    key: 'at',
    header: t.decided,
    cell: (row) => (
      <Link href={decisionPath(tenant, row.decisionId)} prefetch={false} className="text-link inline-block">
        <VisuallyHidden>{t.decisionOf}</VisuallyHidden>
        <Time at={row.decidedAt} show="absolute" />
      </Link>
    ),
  },
]
