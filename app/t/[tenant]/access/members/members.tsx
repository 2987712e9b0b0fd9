'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { useQuery } from '#components/api/query.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatCount } from '#lib/format.ts'
import type { Member } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ControlState } from './control-state.tsx'
import { InviteMember } from './invite-member.tsx'
import { ManageMember } from './manage-member.tsx'
import { MemberStatusShape } from './member-status.tsx'
import { PendingReset, PendingRoles, RoleList, RolesOrigin } from './role-list.tsx'
import { StatusFilter, useMemberFilter } from './status-filter.tsx'

/** The people who are members of the tenant. */
export function Members() {
  const [inviting, setInviting] = useState(false)
  const invite = (
    <ActionButton permission="member:manage" variant="primary" onClick={() => setInviting(true)}>
      Invite a person
    </ActionButton>
  )
  return (
    <AccessPage
      page="members"
      permission="member:manage"
      act="see the members"
      action={invite}
      about="Roles determine what a person can do. A change applies from the next request on. Granting approver, privacy officer or tenant admin requires the approval of a change approver. Anyone who invites or resets an account counts as its holder until it is proved that someone else controls it."
    >
      <MemberList />
      {inviting && <InviteMember onClose={() => setInviting(false)} />}
    </AccessPage>
  )
}

function MemberList() {
  const trpc = useTRPC()
  const { filter, status } = useMemberFilter()
  const [managed, setManaged] = useState<Member>()
  const pages = usePages(trpc.members.list, { kind: 'person', ...filter })
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <StatusFilter />
        <PasskeyCoverage />
      </div>
      <PagedTable
        pages={pages}
        caption="Members"
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: 'The members', act: 'see the members', permission: 'member:manage' }}
        empty={
          <EmptyState title={status === 'all' ? 'No members.' : 'No members match this filter.'}>
            {status === 'all'
              ? 'Invite a person to add the first member.'
              : 'To see members in other states, show everyone.'}
          </EmptyState>
        }
      />
      {managed !== undefined && (
        <ManageMember
          // The current membership, in case the list was reloaded while the dialog is open.
          member={pages.items?.find((row) => row.id === managed.id) ?? managed}
          onClose={() => setManaged(undefined)}
        />
      )}
    </>
  )
}

/** How many approvers can decide where a passkey is needed. */
function PasskeyCoverage() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.members.list.queryOptions({ kind: 'person', limit: 1 }))
  if (data === undefined || data.passkeys.approvers === 0) return null
  const { approvers, withPasskey } = data.passkeys
  return (
    <p>
      {withPasskey} of {formatCount(approvers, 'active approver')} {withPasskey === 1 ? 'has' : 'have'} a passkey.
    </p>
  )
}

const columns = (manage: (row: Member) => void): Column<Member>[] => [
  {
    key: 'name',
    header: 'Person',
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <ShownText>{row.displayName}</ShownText>
        <span className="text-dense text-ink-2">
          <ShownText>{row.email ?? row.username}</ShownText>
        </span>
      </span>
    ),
  },
  {
    key: 'status',
    header: 'State',
    cell: (row) => (
      <span className="flex flex-col">
        <MemberStatusShape status={row.status} />
        <PendingReset member={row} />
      </span>
    ),
  },
  {
    key: 'sign-in',
    header: 'Last sign-in',
    cell: (row) => (
      <span className="flex flex-col">
        {row.lastSignInAt === null ? (
          <span className="whitespace-nowrap text-ink-2">{row.status === 'invited' ? 'Not yet' : 'Not recorded'}</span>
        ) : (
          <Time at={row.lastSignInAt} show="relative" />
        )}
        <span className={row.passkeys === 0 ? 'text-ink-2' : undefined}>
          {row.passkeys === 0 ? 'No passkey' : formatCount(row.passkeys, 'passkey')}
        </span>
      </span>
    ),
  },
  { key: 'control', header: 'Control of the account', cell: (row) => <ControlState member={row} /> },
  {
    key: 'roles',
    header: 'Roles',
    cell: (row) => (
      <span className="flex flex-col">
        <RoleList roles={row.roles} />
        <RolesOrigin member={row} />
        <PendingRoles member={row} />
      </span>
    ),
  },
  {
    key: 'groups',
    header: 'Decides in',
    cell: (row) => (row.groups.length === 0 ? undefined : <ShownText>{row.groups.join(', ')}</ShownText>),
  },
  {
    key: 'manage',
    header: 'Actions',
    cell: (row) => <ManageButton name={row.displayName} onClick={() => manage(row)} />,
  },
]
