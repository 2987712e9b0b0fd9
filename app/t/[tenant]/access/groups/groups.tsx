'use client'

import Link from 'next/link'
import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-groups/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Group } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ChangeMembers } from './change-members.tsx'
import { CreateGroup } from './create-group.tsx'
import { ProvisionedGroups } from './provisioned-groups.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** The approver groups and the people who decide in them. */
export function Groups() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="member:manage" variant="primary" onClick={() => setCreating(true)}>
      {t.createA}
    </ActionButton>
  )
  return (
    <AccessPage
      page="groups"
      permission="member:manage"
      act={t.seeApproverGroups}
      action={create}
      about={t.eachRequestIsSent}
    >
      <GroupList />
      <ProvisionedGroups />
      {creating && <CreateGroup onClose={() => setCreating(false)} />}
    </AccessPage>
  )
}

function GroupList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const [changed, setChanged] = useState<Group>()
  const pages = usePages(trpc.groups.list, {})
  useChanges(['groups', 'members'], refreshMs)
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.approverGroups}
        columns={columns(tenant, setChanged)}
        rowKey={(row) => row.id}
        failed={{ what: t.theApproverGroups, act: t.seeApproverGroups, permission: 'member:manage' }}
        empty={<EmptyState title={t.noApproverGroups}>{t.createGroupFirstEvery}</EmptyState>}
      />
      {changed !== undefined && <ChangeMembers group={changed} onClose={() => setChanged(undefined)} />}
    </>
  )
}

/** A group of an identity provider, and whom it names now. */
function MappedGroup({ row, issuer, name }: { row: Group; issuer: string; name: string }) {
  const people = row.mappedMembers.filter(({ group }) => group === name).map(({ displayName }) => displayName)
  return (
    <span className="break-words text-dense text-ink-2">
      {t.everyoneIn({
        name,
        issuer,
        none: String(people.length === 0),
        people: [...new Set(people)].join(', '),
        shown: shownText,
      })}
    </span>
  )
}

const columns = (tenant: string, change: (row: Group) => void): Column<Group>[] => [
  {
    key: 'name',
    header: t.group,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <ShownText>{row.displayName}</ShownText>
        <code className="font-mono text-dense text-ink-2">{row.name}</code>
      </span>
    ),
  },
  {
    key: 'members',
    header: t.members,
    cell: (row) =>
      row.members.length + row.mappings.length === 0 ? (
        <span className="text-warn">{t.noOneGroupCant}</span>
      ) : (
        <span className="flex flex-col">
          <ShownText>{row.members.map((member) => member.displayName).join(', ')}</ShownText>
          {row.mappings.map(({ issuer, name }) => (
            <MappedGroup key={`${issuer} ${name}`} row={row} issuer={issuer} name={name} />
          ))}
        </span>
      ),
  },
  {
    key: 'pending',
    header: t.pendingChange,
    cell: (row) =>
      row.pendingApprovalId === null ? undefined : (
        <Link href={approvalPath(tenant, row.pendingApprovalId)} prefetch={false} className="text-link">
          {t.waitsForApprovalMembers({
            group: row.displayName,
            hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
          })}
        </Link>
      ),
  },
  {
    key: 'change',
    header: t.actions,
    cell: (row) => (
      <Button onClick={() => change(row)} aria-haspopup="dialog">
        {t.proposeMembersOf({
          group: row.displayName,
          hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
        })}
      </Button>
    ),
  },
]
