'use client'

import { useMemo } from 'react'
import { NoApprovals } from '#components/alarms/no-approvals.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { TableSkeleton } from '#components/ui/feedback/table-skeleton.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { approvalPath, approvalsPath } from '#lib/paths.ts'
import { requestColumns } from '../approvals/inbox/request-table.tsx'
import { AllLink } from './all-link.tsx'
import { useNow } from './use-home.ts'

/** The list of approvals has the other columns, and the width for them. */
const shown = new Set(['risk', 'title', 'amount', 'agent', 'expires'])

/** The requests that the person can decide, the soonest to expire first. */
export function NeedsPerson() {
  const { tenant, can } = useSession()
  const { data, error, refetch } = useNow()
  const columns = useMemo(
    () =>
      requestColumns(({ approvalId }) => approvalPath(tenant, approvalId, { view: 'needs-me' })).filter(({ key }) =>
        shown.has(key),
      ),
    [tenant],
  )
  const title = t.needsYou
  if (!can('approval:list'))
    return (
      <Section title={title}>
        <MissingPermission act={t.seeApprovals} permission="approval:list" />
      </Section>
    )
  const all = <AllLink href={approvalsPath(tenant)}>{t.allApprovals}</AllLink>
  if (!can('approval:decide'))
    return (
      <Section title={title} aside={all}>
        <p className="text-ink-2">{t.mayNotDecide}</p>
      </Section>
    )
  const items = data?.needs?.items
  return (
    <Section title={title} aside={all}>
      {items === undefined ? (
        error === null ? (
          <TableSkeleton label={t.loadingApprovals} columns={columns} rows={4} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theApprovals}
            plural
            act={t.seeApprovals}
            permission="approval:list"
            retry={() => void refetch()}
          />
        )
      ) : items.length === 0 ? (
        <NoApprovals title={t.noApprovals}>{t.noApprovalsAbout}</NoApprovals>
      ) : (
        <DataTable caption={t.approvals} columns={columns} rows={items} rowKey={({ approvalId }) => approvalId} />
      )}
    </Section>
  )
}
