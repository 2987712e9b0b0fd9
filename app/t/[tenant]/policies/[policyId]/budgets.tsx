'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { usePages } from '#components/api/use-pages.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, executionPath } from '#lib/paths.ts'
import type { Budget } from '#lib/schemas/policies.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Shows how much of each budget that the policy's rules define is used in the current window. */
export function Budgets({ policyId }: { policyId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.policies.budgets, { policyId, limit: 20 })
  return (
    <PagedTable
      pages={pages}
      caption={t.budgets}
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: t.theBudgets, act: t.seePolicies, permission: 'policy:read' }}
      empty={<EmptyState title={t.budgetsAreUnused}>{t.budgetIsListedHere}</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<Budget>[] => [
  {
    key: 'rule',
    header: t.rule,
    rowHeader: true,
    cell: (row) => (
      <code className="wrap-anywhere font-mono text-dense">
        <ShownText>{row.rule}</ShownText>
      </code>
    ),
  },
  { key: 'subject', header: t.appliesTo, cell: (row) => <Subject budget={row} tenant={tenant} /> },
  { key: 'used', header: t.used, cell: (row) => <Used budget={row} /> },
  {
    key: 'until',
    header: t.resets,
    cell: (row) => (row.endsAt === null ? t.never : <Time at={row.endsAt} show="absolute" />),
  },
]

function Subject({ budget, tenant }: { budget: Budget; tenant: string }) {
  const { scope, environment, agentId, agentName, executionId } = budget
  if (scope === 'tenant') return t.allAgentsInAll
  if (scope === 'environment') return t.allAgentsIn({ environment: environment ?? '' })
  const about = {
    agent: agentName ?? agentId ?? '',
    environment: environment ?? '',
    shown: shownText,
    agentLink: (content: ReactNode) => (
      <Link href={agentPath(tenant, agentId ?? '')} prefetch={false} className="text-link wrap-anywhere">
        {content}
      </Link>
    ),
  }
  if (executionId === null) return t.agentInEnvironment(about)
  return t.oneExecutionOfIn({
    ...about,
    link: (content) => (
      <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
        {content}
      </Link>
    ),
  })
}

/** The used amount includes the reservations of calls that have not ended. */
function Used({ budget: { used, reserved, limit, unit } }: { budget: Budget }) {
  const share = Number(limit) === 0 ? 1 : Math.min(1, Number(used) / Number(limit))
  return (
    <span className="flex flex-col gap-1">
      <span>
        {t.usedOf({
          used,
          limit,
          unit,
          full: String(share === 1),
          strong: (content) => <strong className="font-semibold">{content}</strong>,
        })}
      </span>
      {/* Hidden from assistive technology, because the figures above state the same. */}
      <span aria-hidden="true" className="block h-1 w-full max-w-40 bg-sunken">
        <span
          className={classNames('block h-full', share === 1 ? 'bg-danger' : 'bg-primary')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {reserved !== '0' && <span className="text-dense text-ink-2">{t.includingReservedForCalls({ reserved })}</span>}
    </span>
  )
}
