'use client'

import { useQuery } from '#components/api/query.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Section } from '#components/page/section.tsx'
import * as t from '#components/texts/access-groups/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ProvisionedGroup } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The groups that came by SCIM. Renders nothing where none did, and with a server of the version before, which lacks such a list. */
export function ProvisionedGroups() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.groups.listProvisioned.queryOptions({ limit: 1 }))
  if (data === undefined || data.items.length === 0) return null
  return <GroupTable issuer={data.issuer} />
}

function GroupTable({ issuer }: { issuer: string | null }) {
  const trpc = useTRPC()
  const pages = usePages(trpc.groups.listProvisioned, {})
  return (
    <Section title={t.groupsManagedElsewhere}>
      {issuer !== null && <p className="text-ink-2">{t.providerManagesThem({ host: new URL(issuer).host })}</p>}
      <PagedTable
        pages={pages}
        caption={t.groupsManagedElsewhere}
        columns={columns}
        rowKey={(row) => row.id}
        failed={{ what: t.groupsOfProvider, act: t.seeApproverGroups, permission: 'member:manage' }}
        empty={<EmptyState title={t.noMembersInGroup}>{t.groupsManagedElsewhere}</EmptyState>}
      />
    </Section>
  )
}

const columns: Column<ProvisionedGroup>[] = [
  {
    key: 'name',
    header: t.group,
    rowHeader: true,
    cell: ({ name, externalId }) => (
      <span className="flex flex-col">
        <ShownText>{name}</ShownText>
        {externalId !== null && (
          <code className="break-all font-mono text-dense text-ink-2">
            <ShownText>{externalId}</ShownText>
          </code>
        )}
      </span>
    ),
  },
  {
    key: 'members',
    header: t.members,
    cell: ({ members, memberCount }) =>
      memberCount === 0 ? (
        <span className="text-ink-2">{t.noMembersInGroup}</span>
      ) : (
        <ShownText>
          {t.membersAndMore({
            people: members.map(({ displayName }) => displayName).join(', '),
            more: memberCount - members.length,
          })}
        </ShownText>
      ),
  },
  {
    key: 'taken',
    header: t.takenBy,
    cell: ({ approverGroups }) =>
      approverGroups.length === 0 ? (
        <span className="text-ink-2">{t.noApproverGroupTakesIt}</span>
      ) : (
        <ShownText>{approverGroups.join(', ')}</ShownText>
      ),
  },
  { key: 'changed', header: t.changedByProvider, cell: ({ changedAt }) => <Time at={changedAt} show="relative" /> },
]
