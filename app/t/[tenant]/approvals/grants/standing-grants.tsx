'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import { formatMoney } from '#lib/rules/effect.ts'
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
  useChanges(['approvals'], pollMs)
  const columns: Column<StandingGrant>[] = [
    {
      key: 'title',
      header: 'Grant',
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
      header: 'Used',
      cell: (grant) => (
        <>
          {grant.uses} of {grant.maxUses}
          {grant.spent !== null && <span className="block text-ink-2">{spentOf(grant.spent)}</span>}
        </>
      ),
    },
    { key: 'until', header: 'Ends', cell: ({ until }) => <Time at={until} /> },
    {
      key: 'people',
      header: 'By',
      cell: ({ proposedBy, approvedBy }) => (
        <>
          <ShownText>{proposedBy.displayName}</ShownText>
          {approvedBy !== null && (
            <>
              {' and '}
              <ShownText>{approvedBy.displayName}</ShownText>
            </>
          )}
        </>
      ),
    },
    {
      key: 'state',
      header: 'State',
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
      header: <span className="sr-only">Actions</span>,
      cell: (grant) => (
        <span className="flex flex-wrap gap-x-3">
          {grant.uses > 0 && (
            <Button variant="quiet" onClick={() => setUses(grant)}>
              Uses<span className="sr-only"> of {grant.title}</span>
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
        caption="Standing grants"
        columns={columns}
        rowKey={({ id }) => id}
        failed={{ what: 'The standing grants', act: 'see standing grants', permission: 'approval:list' }}
        empty={
          <EmptyState title="No standing grants.">
            After you approve a call of low or medium risk, its page lets you propose that calls like it need no person
            for a time.
          </EmptyState>
        }
      />
      {uses !== undefined && <GrantUses grant={uses} onClose={() => setUses(undefined)} />}
    </>
  )
}

const states: Readonly<Record<StandingGrant['status'], { status: Status; label: string }>> = {
  proposed: { status: 'pending', label: 'Proposed' },
  active: { status: 'approved', label: 'Active' },
  used_up: { status: 'expired', label: 'Used up' },
  expired: { status: 'expired', label: 'Ended' },
  revoked: { status: 'revoked', label: 'Revoked' },
  lapsed: { status: 'revoked', label: 'Lapsed' },
  rejected: { status: 'rejected', label: 'Rejected' },
  withdrawn: { status: 'revoked', label: 'Withdrawn' },
}
const lapses: Readonly<Record<NonNullable<StandingGrant['lapse']>, string>> = {
  agent: 'Its agent was suspended or retired.',
  release: 'Its release is no longer active.',
  policy: 'The policies of its agent changed.',
  member: 'One of its two people lost the role.',
}

function spentOf({ currency, total, max }: NonNullable<StandingGrant['spent']>): string {
  return `${formatMoney(total, currency) ?? `${total} ${currency}`} of ${formatMoney(max, currency) ?? max}`
}

/** Ends an active grant; its proposer can withdraw a proposed one. */
function EndGrant({ grant }: { grant: StandingGrant }) {
  const { client } = useApi()
  const { me } = useSession()
  const proposed = grant.status === 'proposed'
  const mine = grant.proposedBy.id === me.principal.id
  return (
    <ReasonDialog
      label={proposed ? 'Withdraw…' : 'Revoke…'}
      busyLabel={proposed ? 'Withdrawing the grant…' : 'Revoking the grant…'}
      keepLabel="Keep it"
      suffix={<span className="sr-only"> {grant.title}</span>}
      title={proposed ? 'Withdraw this proposal?' : 'Revoke this standing grant?'}
      consequence={
        proposed ? 'No one can approve it any more.' : 'From now on, calls like it need a decision of a person each.'
      }
      permission="approval:decide"
      over={!(grant.status === 'active' || (proposed && mine))}
      act={(reason, options) => client.approvals.revokeGrant.mutate({ grantId: grant.id, reason }, options)}
      touches={['approvals']}
      done={proposed ? 'The proposal is withdrawn.' : 'The standing grant is revoked.'}
      notDone={proposed ? 'The proposal was not withdrawn.' : 'The standing grant was not revoked.'}
    />
  )
}
