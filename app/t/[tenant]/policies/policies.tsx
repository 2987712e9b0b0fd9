'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { newPolicyPath, policyPath } from '#lib/paths.ts'
import type { Policy } from '#lib/schemas/policies.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Lists every policy, newest first. */
export function Policies() {
  return (
    <Permitted permission="policy:read" act="see policies" title="Policies">
      <PolicyList />
    </Permitted>
  )
}

function PolicyList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.policies.list, {})
  return (
    <Page wide>
      <PageHeader
        title="Policies"
        action={
          <ActionLink href={newPolicyPath(tenant)} permission="policy:author">
            Write a policy
          </ActionLink>
        }
      />
      <PagedTable
        pages={pages}
        caption="Policies"
        columns={columns(tenant)}
        rowKey={(row) => row.id}
        failed={{ what: 'The policies', act: 'see policies', permission: 'policy:read' }}
        empty={
          <EmptyState title="No policies yet.">
            A policy, written in Cedar, defines what agents may do and which calls require approval. It isn’t enforced
            until a version is published and bound to an agent.
          </EmptyState>
        }
      />
    </Page>
  )
}

const columns = (tenant: string): Column<Policy>[] => [
  {
    key: 'name',
    header: 'Policy',
    rowHeader: true,
    cell: (row) => (
      <Link href={policyPath(tenant, row.id)} prefetch={false} className="text-link wrap-anywhere">
        {row.name}
      </Link>
    ),
  },
  {
    key: 'description',
    header: 'Purpose',
    cell: (row) =>
      row.description === '' ? undefined : (
        <span className="wrap-anywhere">
          <ShownText>{row.description}</ShownText>
        </span>
      ),
  },
  { key: 'version', header: 'Published version', cell: (row) => row.latestPublishedVersion ?? 'None' },
  { key: 'by', header: 'Created by', cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'age', header: 'Created', cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
