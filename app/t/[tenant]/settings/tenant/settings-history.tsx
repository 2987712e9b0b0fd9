'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath, auditRecordPath } from '#lib/paths.ts'
import { settingName, settingText } from '#lib/rules/settings.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Row = Answers['tenants']['settingsHistory']['items'][number]

/** Who changed which rule, from what to what, and who approved it, by the audit log. */
export function SettingsHistory() {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.tenants.settingsHistory.queryOptions())
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Loading the history…" rows={3} />
    ) : (
      <RequestFailed
        error={error}
        what="The history"
        act="see the audit log"
        permission="audit:read"
        retry={() => void refetch()}
      />
    )
  if (data.items.length === 0)
    return <EmptyState title="No rule was changed yet.">Each change of a rule is listed here.</EmptyState>
  return (
    <DataTable
      caption="Changes of rules"
      columns={columns(tenant)}
      rows={data.items}
      rowKey={({ auditId }) => auditId}
    />
  )
}

const names = new Map<string, string>(Object.entries(settingName))

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'at',
    header: 'When',
    cell: (row) => (
      <Link href={auditRecordPath(tenant, row.auditId)} prefetch={false} className="text-link tabular-nums">
        <Time at={row.at} show="seconds" />
      </Link>
    ),
  },
  {
    key: 'what',
    header: 'Change',
    rowHeader: true,
    cell: (row) => (
      <ul>
        {row.changes.map(({ name, before, after }) => (
          <li key={name}>
            {names.get(name) ?? name}
            {before !== undefined && ` from ${settingText(name, before)}`} to{' '}
            <strong className="font-semibold">{settingText(name, after)}</strong>
          </li>
        ))}
      </ul>
    ),
  },
  { key: 'by', header: 'By', cell: (row) => <ShownText>{row.by}</ShownText> },
  {
    key: 'approved',
    header: 'Approved by',
    cell: ({ approvedBy, approvalId }) =>
      approvalId === null ? (
        'Not needed: not weaker'
      ) : (
        <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
          <ShownText>{approvedBy.join(', ') || 'Open the request'}</ShownText>
        </Link>
      ),
  },
  {
    key: 'reason',
    header: 'Reason',
    cell: ({ reason }) => (reason === null ? undefined : <ShownText>{reason}</ShownText>),
  },
]
