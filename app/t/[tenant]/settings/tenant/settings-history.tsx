'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { settingNameText, settingValueText } from '#components/settings/setting-words.ts'
import * as t from '#components/texts/settings-tenant/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath, auditRecordPath } from '#lib/paths.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Row = Answers['tenants']['settingsHistory']['items'][number]

/** Who changed which rule, from what to what, and who approved it, by the audit log. */
export function SettingsHistory() {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.tenants.settingsHistory.queryOptions())
  if (data === undefined)
    return error === null ? (
      <Skeleton label={t.loadingHistory} rows={3} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theHistory}
        act={t.seeAuditLog}
        permission="audit:read"
        retry={() => void refetch()}
      />
    )
  if (data.items.length === 0) return <EmptyState title={t.noRuleWasChanged}>{t.eachChangeOfRule}</EmptyState>
  return (
    <DataTable
      caption={t.changesOfRules}
      columns={columns(tenant)}
      rows={data.items}
      rowKey={({ auditId }) => auditId}
    />
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'at',
    header: t.when,
    cell: (row) => (
      <Link href={auditRecordPath(tenant, row.auditId)} prefetch={false} className="text-link tabular-nums">
        <Time at={row.at} show="seconds" />
      </Link>
    ),
  },
  {
    key: 'what',
    header: t.change,
    rowHeader: true,
    cell: (row) => (
      <ul>
        {row.changes.map(({ name, before, after }) => (
          <li key={name}>
            {t.changedTo({
              known: String(before !== undefined),
              name: settingNameText(name),
              before: before === undefined ? '' : settingValueText(name, before),
              after: settingValueText(name, after),
              strong: (content) => <strong className="font-semibold">{content}</strong>,
            })}
          </li>
        ))}
      </ul>
    ),
  },
  { key: 'by', header: t.by, cell: (row) => <ShownText>{row.by}</ShownText> },
  {
    key: 'approved',
    header: t.approvedBy,
    cell: ({ approvedBy, approvalId }) =>
      approvalId === null ? (
        t.notNeededNotWeaker
      ) : (
        <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
          <ShownText>{approvedBy.join(', ') || t.openRequest}</ShownText>
        </Link>
      ),
  },
  {
    key: 'reason',
    header: t.reason,
    cell: ({ reason }) => (reason === null ? undefined : <ShownText>{reason}</ShownText>),
  },
]
