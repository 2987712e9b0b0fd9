'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
      caption="Budgets"
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: 'The budgets', act: 'see policies', permission: 'policy:read' }}
      empty={
        <EmptyState title="The budgets are unused.">
          A budget is listed here after a call reserves some of it in the current window.
        </EmptyState>
      }
    />
  )
}

const columns = (tenant: string): Column<Budget>[] => [
  {
    key: 'rule',
    header: 'Rule',
    rowHeader: true,
    cell: (row) => (
      <code className="wrap-anywhere font-mono text-dense">
        <ShownText>{row.rule}</ShownText>
      </code>
    ),
  },
  { key: 'subject', header: 'Applies to', cell: (row) => <Subject budget={row} tenant={tenant} /> },
  { key: 'used', header: 'Used', cell: (row) => <Used budget={row} /> },
  {
    key: 'until',
    header: 'Resets',
    cell: (row) => (row.endsAt === null ? 'Never' : <Time at={row.endsAt} show="absolute" />),
  },
]

function Subject({ budget, tenant }: { budget: Budget; tenant: string }) {
  const { scope, environment, agentId, agentName, executionId } = budget
  if (scope === 'tenant') return 'All agents, in all environments'
  if (scope === 'environment') return `All agents in ${environment}`
  const agent = agentId !== null && (
    <Link href={agentPath(tenant, agentId)} prefetch={false} className="text-link wrap-anywhere">
      <ShownText>{agentName ?? agentId}</ShownText>
    </Link>
  )
  if (executionId === null)
    return (
      <>
        {agent} in {environment}
      </>
    )
  return (
    <>
      <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
        One execution
      </Link>{' '}
      of {agent} in {environment}
    </>
  )
}

/** The used amount includes the reservations of calls that have not ended. */
function Used({ budget: { used, reserved, limit, unit } }: { budget: Budget }) {
  const share = Number(limit) === 0 ? 1 : Math.min(1, Number(used) / Number(limit))
  return (
    <span className="flex flex-col gap-1">
      <span>
        {used} of {limit} {unit}
        {share === 1 && <strong className="font-semibold"> (used up)</strong>}
      </span>
      {/* Hidden from assistive technology, because the figures above state the same. */}
      <span aria-hidden="true" className="block h-1 w-full max-w-40 bg-sunken">
        <span
          className={classNames('block h-full', share === 1 ? 'bg-danger' : 'bg-primary')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {reserved !== '0' && (
        <span className="text-dense text-ink-2">including {reserved} reserved for calls in progress</span>
      )}
    </span>
  )
}
