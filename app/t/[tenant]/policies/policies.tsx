'use client'

import Link from 'next/link'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policies/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { newPolicyPath, policyPath } from '#lib/paths.ts'
import type { Policy } from '#lib/schemas/policies.ts'
import { useTRPC } from '#lib/trpc.ts'

/** While the socket is down, in milliseconds. */
const refreshMs = 10_000

/** Lists every policy, newest first. */
export function Policies() {
  return (
    <Permitted permission="policy:read" act={t.seePolicies} title={t.policies}>
      <PolicyList />
    </Permitted>
  )
}

function PolicyList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.policies.list, {})
  useChanges(['policies'], refreshMs)
  return (
    <Page wide>
      <PageHeader
        title={t.policies}
        action={
          <ActionLink href={newPolicyPath(tenant)} permission="policy:author">
            {t.writePolicy}
          </ActionLink>
        }
      />
      <PagedTable
        pages={pages}
        caption={t.policies}
        columns={columns(tenant)}
        rowKey={(row) => row.id}
        failed={{ what: t.thePolicies, act: t.seePolicies, permission: 'policy:read' }}
        empty={<EmptyState title={t.noPoliciesYet}>{t.policyWrittenInCedar}</EmptyState>}
      />
    </Page>
  )
}

const columns = (tenant: string): Column<Policy>[] => [
  {
    key: 'name',
    header: t.policy,
    rowHeader: true,
    cell: (row) => (
      <Link href={policyPath(tenant, row.id)} prefetch={false} className="text-link wrap-anywhere">
        {row.name}
      </Link>
    ),
  },
  {
    key: 'description',
    header: t.purpose,
    cell: (row) =>
      row.description === '' ? undefined : (
        <span className="wrap-anywhere">
          <ShownText>{row.description}</ShownText>
        </span>
      ),
  },
  { key: 'version', header: t.publishedVersion, cell: (row) => row.latestPublishedVersion ?? t.none },
  { key: 'by', header: t.createdBy, cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'age', header: t.created, cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
