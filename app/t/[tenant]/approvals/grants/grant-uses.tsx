'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { formatMoney } from '#components/language/formats.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditRecordPath, executionPath } from '#lib/paths.ts'
import type { GrantUse, StandingGrant } from '#lib/schemas/approvals/grants.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The calls that ran by a grant, the last ones first. */
export function GrantUses({ grant, onClose }: { grant: StandingGrant; onClose: () => void }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.approvals.listGrantUses, { grantId: grant.id })
  const currency = grant.spent?.currency
  const columns: Column<GrantUse>[] = [
    { key: 'number', header: t.nthUse, rowHeader: true, cell: ({ number }) => number },
    { key: 'at', header: t.time, cell: ({ usedAt }) => <Time at={usedAt} /> },
    ...(currency === undefined
      ? []
      : [
          {
            key: 'amount',
            header: t.amount,
            cell: ({ amount }: GrantUse) => (amount === null ? '' : (formatMoney(amount, currency) ?? amount)),
          },
        ]),
    {
      key: 'call',
      header: t.call,
      cell: ({ executionId, auditId }) => (
        <span className="flex flex-wrap gap-x-3">
          {executionId === null ? (
            t.byAgentElsewhere
          ) : (
            <Link href={executionPath(tenant, executionId)} prefetch={false} className="row-link text-link">
              {t.execution}
            </Link>
          )}
          <Link href={auditRecordPath(tenant, auditId)} prefetch={false} className="row-link text-link">
            {t.record}
          </Link>
        </span>
      ),
    },
  ]
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t.callsByThisGrant}
      description={t.ofCalls({ uses: grant.uses, maxUses: grant.maxUses })}
      actions={<Button onClick={onClose}>{t.backToList}</Button>}
    >
      <PagedTable
        pages={pages}
        caption={t.callsByThisGrant}
        columns={columns}
        rowKey={({ number }) => String(number)}
        failed={{ what: t.theCalls, act: t.seeThem, permission: 'approval:list' }}
        empty={<EmptyState title={t.noCallsYet}>{t.eachCallThatRuns}</EmptyState>}
      />
    </Dialog>
  )
}
