'use client'

import Link from 'next/link'
import { type ReactNode, useId } from 'react'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useNeedsMe } from '#components/approvals/waiting.ts'
import { LIVE_STATUSES } from '#components/executions/execution-status.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { approvalPath, approvalsPath, executionsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { requestColumns } from './approvals/inbox/request-table.tsx'
import { RunningTable } from './running-table.tsx'
import { TodaysLog } from './todays-log.tsx'

const shownRows = 5
const refreshMs = 10_000

/** The start page of a tenant: the approvals that need the person, the running executions, and today's audit log. */
export function Home() {
  const { me, can } = useSession()
  return (
    <Page>
      <PageHeader title={<ShownText>{me.tenant.displayName}</ShownText>} />
      {can('audit:read') && <OpenAlarms />}
      <NeedsPerson />
      <RunningNow />
      <Section title="Today’s log">
        <TodaysLog />
      </Section>
    </Page>
  )
}

function Section({ title, all, children }: { title: string; all?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={id}>{title}</h2>
        {all}
      </div>
      {children}
    </section>
  )
}

function All({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="text-link inline-flex min-h-6 items-center">
      {children}
    </Link>
  )
}

function NeedsPerson() {
  const { tenant, can } = useSession()
  const { data, error, refetch } = useNeedsMe()
  const link = <All href={approvalsPath(tenant)}>All approvals</All>
  if (!can('approval:list'))
    return (
      <Section title="Needs you">
        <MissingPermission act="see approvals" permission="approval:list" />
      </Section>
    )
  if (!can('approval:decide'))
    return (
      <Section title="Needs you" all={link}>
        <p className="text-ink-2">No approvals need you: your roles let you see approvals, but not decide them.</p>
      </Section>
    )
  if (data === undefined)
    return (
      <Section title="Needs you" all={link}>
        {error === null ? (
          <Skeleton label="Loading the approvals…" rows={3} rowClass="h-12" />
        ) : (
          <RequestFailed
            error={error}
            what="The approvals"
            plural
            act="see approvals"
            permission="approval:list"
            retry={() => void refetch()}
          />
        )}
      </Section>
    )
  // The list of approvals has the other columns, and the width for them.
  const columns = requestColumns(({ approvalId }) => approvalPath(tenant, approvalId, { view: 'needs-me' })).filter(
    ({ key }) => key !== 'requested' && key !== 'group',
  )
  return (
    <Section title="Needs you" all={link}>
      {data.items.length === 0 ? (
        <EmptyState title="No approvals need you.">
          Requests appear here when an agent, a release or a policy needs your decision.
        </EmptyState>
      ) : (
        <DataTable
          caption="Approvals"
          columns={columns}
          rows={data.items.slice(0, shownRows)}
          rowKey={({ approvalId }) => approvalId}
        />
      )}
    </Section>
  )
}

function RunningNow() {
  const { tenant, can } = useSession()
  const trpc = useTRPC()
  const allowed = can('execution:read')
  useChanges(['executions'], refreshMs)
  const { data, error, refetch } = useQuery(
    trpc.executions.list.queryOptions({ limit: shownRows, status: LIVE_STATUSES }, { enabled: allowed }),
  )
  const link = <All href={executionsPath(tenant, { status: 'under-way' })}>All running or waiting executions</All>
  const running = data?.items
  return (
    <Section title="Running now" all={allowed && link}>
      {!allowed ? (
        <MissingPermission act="see executions" permission="execution:read" />
      ) : running !== undefined ? (
        running.length === 0 ? (
          <EmptyState title="No executions are running.">
            Running and waiting executions are listed here until they end.
          </EmptyState>
        ) : (
          <RunningTable rows={running} />
        )
      ) : error === null ? (
        <Skeleton label="Loading the executions…" rows={3} />
      ) : (
        <RequestFailed
          error={error}
          what="The executions"
          plural
          act="see executions"
          permission="execution:read"
          retry={() => void refetch()}
        />
      )}
    </Section>
  )
}
