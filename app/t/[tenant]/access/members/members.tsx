'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Member } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AccountNote, useAccountSource } from './account-source.tsx'
import { invitesHere } from './account-words.ts'
import { ControlState } from './control-state.tsx'
import { InviteMember } from './invite-member.tsx'
import { LinkNotSent } from './link-mail.tsx'
import { ManageMember } from './manage-member.tsx'
import { MemberStatusShape } from './member-status.tsx'
import { PendingReset, PendingRoles, RoleList, RolesOrigin } from './role-list.tsx'
import { StatusFilter, useMemberFilter } from './status-filter.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** The people who are members of the tenant. */
export function Members() {
  const [inviting, setInviting] = useState(false)
  const { source, pending } = useAccountSource()
  // Offered once it is known that it works.
  const invite = !pending && invitesHere(source) && (
    <ActionButton permission="member:manage" variant="primary" onClick={() => setInviting(true)}>
      {t.invitePerson}
    </ActionButton>
  )
  return (
    <AccessPage
      page="members"
      permission="member:manage"
      act={t.seeMembers}
      action={invite}
      about={t.rolesDetermineWhatPerson}
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
  useChanges(['members', 'groups', 'mails'], refreshMs)
  // The list may be reloaded while the dialog is open, and a member then leave it who no longer matches its filter.
  const current = pages.items?.find((row) => row.id === managed?.id)
  if (current !== undefined && current !== managed) setManaged(current)
  return (
    <>
      <AccountNote />
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <StatusFilter />
        <PasskeyCoverage />
      </div>
      <PagedTable
        pages={pages}
        caption={t.members}
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: t.theMembers, act: t.seeMembers, permission: 'member:manage' }}
        empty={
          <EmptyState title={status === 'all' ? t.noMembers : t.noMembersMatchThis}>
            {status === 'all' ? t.invitePersonToAdd : t.toSeeMembersIn}
          </EmptyState>
        }
      />
      {managed !== undefined && <ManageMember member={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

/** How many approvers can decide where a passkey is needed. */
function PasskeyCoverage() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.members.list.queryOptions({ kind: 'person', limit: 1 }))
  if (data === undefined || data.passkeys.approvers === 0) return null
  const { approvers, withPasskey } = data.passkeys
  return <p>{t.approversWithPasskey({ withPasskey, activeApprovers: approvers })}</p>
}

const columns = (manage: (row: Member) => void): Column<Member>[] => [
  {
    key: 'name',
    header: t.person,
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
    header: t.state,
    cell: (row) => (
      <span className="flex flex-col">
        <MemberStatusShape status={row.status} />
        <LinkNotSent member={row} />
        <PendingReset member={row} />
      </span>
    ),
  },
  {
    key: 'sign-in',
    header: t.lastSignIn,
    cell: (row) => (
      <span className="flex flex-col">
        {row.lastSignInAt === null ? (
          <span className="whitespace-nowrap text-ink-2">{row.status === 'invited' ? t.notYet : t.notRecorded}</span>
        ) : (
          <Time at={row.lastSignInAt} show="relative" />
        )}
        <span className={row.passkeys === 0 ? 'text-ink-2' : undefined}>
          {row.passkeys === 0 ? t.noPasskey : t.passkeys({ passkeys: row.passkeys })}
        </span>
      </span>
    ),
  },
  { key: 'control', header: t.controlOfAccount, cell: (row) => <ControlState member={row} /> },
  {
    key: 'roles',
    header: t.roles,
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
    header: t.decidesIn,
    cell: (row) => (row.groups.length === 0 ? undefined : <ShownText>{row.groups.join(', ')}</ShownText>),
  },
  {
    key: 'manage',
    header: t.actions,
    cell: (row) => <ManageButton name={row.displayName} onClick={() => manage(row)} />,
  },
]
