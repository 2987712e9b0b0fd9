'use client'

import { useParams, useSearchParams } from 'next/navigation'
import { viewFromSearch } from '#components/approvals/view.ts'
import { DecisionLayout } from '#components/layout/decision-layout.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { approvalsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { CaseFile } from './case/case-file.tsx'
import { DecisionBar } from './decision/decision-bar.tsx'
import { DecisionRail } from './decision/decision-rail.tsx'
import type { View } from './decision/decision-view.ts'
import { useDecision } from './decision/use-decision.ts'
import { useShortcuts } from './decision/use-shortcuts.ts'
import { useNeighbours } from './use-neighbours.ts'

export function ApprovalPage() {
  const { approvalId } = useParams<{ approvalId: string }>()
  const { can } = useSession()
  if (!can('approval:list'))
    return (
      <Page>
        <PageHeader title={t.approval} />
        <MissingPermission act={t.seeApprovals} permission="approval:list" />
      </Page>
    )
  // A key per request, so that text typed for one request doesn't appear on the next.
  return <OneApproval key={approvalId} approvalId={approvalId} />
}

function OneApproval({ approvalId }: { approvalId: string }) {
  const { tenant } = useSession()
  const view = viewFromSearch(useSearchParams().get('view'))
  const decision = useDecision(approvalId)
  const neighbours = useNeighbours(approvalId, view)
  useShortcuts(decision, neighbours)
  const { shown } = decision.machine
  if (shown === undefined)
    return (
      <Page>
        <PageHeader
          title={t.approval}
          crumbs={[{ label: t.approvals, href: approvalsPath(tenant, { view }) }]}
          aside={undefined}
        />
        {decision.loadError === null ? (
          <Skeleton label={t.loadingRequest} rows={8} />
        ) : (
          <RequestFailed
            error={decision.loadError}
            what={t.theRequest}
            act={t.seeApprovals}
            permission="approval:list"
            retry={decision.reload}
          />
        )}
      </Page>
    )
  return (
    <DecisionLayout
      railTitle={railTitle(decision.view, shown)}
      rail={<DecisionRail decision={decision} shown={shown} neighbours={neighbours} />}
      sheet={{
        bar: <DecisionBar decision={decision} shown={shown} />,
        open: decision.sheet.open,
        onClose: () => decision.sheet.setOpen(false),
      }}
    >
      <CaseFile decision={decision} shown={shown} neighbours={neighbours} />
    </DecisionLayout>
  )
}

function railTitle({ is }: View, { status }: Approval): string {
  if (status === 'canceled') return t.notDecided
  if (is === 'recorded' || is === 'decided') return t.decided
  return is === 'expired' ? t.expired : t.decide
}
