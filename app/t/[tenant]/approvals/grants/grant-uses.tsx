'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditRecordPath, executionPath } from '#lib/paths.ts'
import { formatMoney } from '#lib/rules/effect.ts'
import type { GrantUse, StandingGrant } from '#lib/schemas/approvals/grants.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The calls that ran by a grant, the last ones first. */
export function GrantUses({ grant, onClose }: { grant: StandingGrant; onClose: () => void }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.approvals.listGrantUses, { grantId: grant.id })
  const currency = grant.spent?.currency
  const columns: Column<GrantUse>[] = [
    { key: 'number', header: 'Use', rowHeader: true, cell: ({ number }) => number },
    { key: 'at', header: 'Time', cell: ({ usedAt }) => <Time at={usedAt} /> },
    ...(currency === undefined
      ? []
      : [
          {
            key: 'amount',
            header: 'Amount',
            cell: ({ amount }: GrantUse) => (amount === null ? '' : (formatMoney(amount, currency) ?? amount)),
          },
        ]),
    {
      key: 'call',
      header: 'Call',
      cell: ({ executionId, auditId }) => (
        <span className="flex flex-wrap gap-x-3">
          {executionId === null ? (
            'By an agent elsewhere'
          ) : (
            <Link href={executionPath(tenant, executionId)} prefetch={false} className="row-link text-link">
              Execution
            </Link>
          )}
          <Link href={auditRecordPath(tenant, auditId)} prefetch={false} className="row-link text-link">
            Record
          </Link>
        </span>
      ),
    },
  ]
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Calls by this grant"
      description={`${grant.uses} of ${grant.maxUses} calls.`}
      actions={<Button onClick={onClose}>Back to the list</Button>}
    >
      <PagedTable
        pages={pages}
        caption="Calls by this grant"
        columns={columns}
        rowKey={({ number }) => String(number)}
        failed={{ what: 'The calls', act: 'see them', permission: 'approval:list' }}
        empty={<EmptyState title="No calls yet.">Each call that runs by the grant is listed here.</EmptyState>}
      />
    </Dialog>
  )
}
