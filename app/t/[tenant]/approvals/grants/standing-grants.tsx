'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import type { ActRun } from '#components/api/use-act.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { formatMoney } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { StandingGrant } from '#lib/schemas/approvals/grants.ts'
import { useTRPC } from '#lib/trpc.ts'
import { GrantUses } from './grant-uses.tsx'

const pollMs = 30_000

/** Calls that need no person for a time: their conditions, how far they are used, and who proposed and approved them. */
export function StandingGrants() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.approvals.listGrants, {})
  const [uses, setUses] = useState<StandingGrant>()
  useChanges(['standingGrants'], pollMs)
  const columns: Column<StandingGrant>[] = [
    {
      key: 'title',
      header: t.grant,
      rowHeader: true,
      cell: ({ title, approvalId, agent, environment }) => (
        <>
          <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="row-link text-link">
            <ShownText>{title}</ShownText>
          </Link>
          <span className="block text-ink-2">
            <ShownText>{agent.displayName}</ShownText>, {environment}
          </span>
        </>
      ),
    },
    {
      key: 'used',
      header: t.used,
      cell: (grant) => (
        <>
          {t.usedOf({ uses: String(grant.uses), most: String(grant.maxUses) })}
          {grant.spent !== null && <span className="block text-ink-2">{spentOf(grant.spent)}</span>}
        </>
      ),
    },
    { key: 'until', header: t.ends, cell: ({ until }) => <Time at={until} /> },
    {
      key: 'people',
      header: t.by,
      cell: ({ proposedBy, approvedBy }) => (
        <>
          {approvedBy === null ? (
            <ShownText>{proposedBy.displayName}</ShownText>
          ) : (
            t.twoPeople({ proposer: proposedBy.displayName, approver: approvedBy.displayName, shown: shownText })
          )}
        </>
      ),
    },
    {
      key: 'state',
      header: t.state,
      cell: ({ status, lapse, endedAt }) => (
        <>
          <StatusShape {...states[status]} />
          {lapse !== null && <span className="block text-ink-2">{lapses[lapse]}</span>}
          {endedAt !== null && (
            <span className="block text-ink-2">
              <Time at={endedAt} />
            </span>
          )}
        </>
      ),
    },
    {
      key: 'acts',
      header: <span className="sr-only">{t.actions}</span>,
      cell: (grant) => (
        <span className="flex flex-wrap gap-x-3">
          {grant.uses > 0 && (
            <Button variant="quiet" onClick={() => setUses(grant)}>
              {t.usesOfGrant({ title: grant.title, span: (content) => <span className="sr-only">{content}</span> })}
            </Button>
          )}
          <EndGrant grant={grant} />
        </span>
      ),
    },
  ]
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.standingGrants}
        columns={columns}
        rowKey={({ id }) => id}
        failed={{ what: t.theStanding, act: t.seeStandingGrants, permission: 'approval:list' }}
        empty={<EmptyState title={t.noStandingGrants}>{t.afterYouApproveCall}</EmptyState>}
      />
      {uses !== undefined && (
        <GrantUses grant={pages.items?.find(({ id }) => id === uses.id) ?? uses} onClose={() => setUses(undefined)} />
      )}
    </>
  )
}

const states: Readonly<Record<StandingGrant['status'], { status: Status; label: string }>> = {
  proposed: { status: 'pending', label: t.proposed },
  active: { status: 'approved', label: t.active },
  used_up: { status: 'expired', label: t.usedUp },
  expired: { status: 'expired', label: t.ended },
  revoked: { status: 'revoked', label: t.revoked },
  lapsed: { status: 'revoked', label: t.lapsed },
  rejected: { status: 'rejected', label: t.rejected },
  withdrawn: { status: 'revoked', label: t.withdrawn },
}
const lapses: Readonly<Record<NonNullable<StandingGrant['lapse']>, string>> = {
  agent: t.itsAgentWasSuspended,
  release: t.itsReleaseIsNo,
  policy: t.policiesOfItsAgent,
  member: t.oneOfItsTwo,
}

function spentOf({ currency, total, max }: NonNullable<StandingGrant['spent']>): string {
  return t.spentOf({
    total: formatMoney(total, currency) ?? `${total} ${currency}`,
    max: formatMoney(max, currency) ?? max,
  })
}

/** Ends an active grant; its proposer can withdraw a proposed one. An open dialog stays the one of them that it was. */
function EndGrant({ grant }: { grant: StandingGrant }) {
  const { client } = useApi()
  const { me } = useSession()
  const mine = grant.proposedBy.id === me.principal.id
  const common = {
    keepLabel: t.keepIt,
    suffix: <span className="sr-only"> {grant.title}</span>,
    permission: 'approval:decide',
    touches: ['approvals', 'standingGrants'],
  } as const
  const end = (expectedStatus: 'proposed' | 'active') => (reason: string, options: ActRun) =>
    client.approvals.revokeGrant.mutate({ grantId: grant.id, reason, expectedStatus }, options)
  return (
    <>
      <ReasonDialog
        {...common}
        act={end('proposed')}
        label={t.withdraw}
        busyLabel={t.withdrawingGrant}
        title={t.withdrawThisProposal}
        consequence={t.noOneCanApprove}
        over={!(grant.status === 'proposed' && mine)}
        done={t.proposalIsWithdrawn}
        notDone={t.proposalWasNotWithdrawn}
      />
      <ReasonDialog
        {...common}
        act={end('active')}
        label={t.revoke}
        busyLabel={t.revokingGrant}
        title={t.revokeThisStandingGrant}
        consequence={t.fromNowOnCalls}
        over={grant.status !== 'active'}
        done={t.standingGrantIsRevoked}
        notDone={t.standingGrantWasNot}
      />
    </>
  )
}
