'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { Section } from '#components/page/section.tsx'
import { PrivacyPage } from '#components/privacy/privacy-page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { formatCount } from '#lib/format.ts'
import { limits } from '#lib/limits.ts'
import { auditPath, privacyPath, settingsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Deletions } from './deletions.tsx'

const refreshMs = 60_000

/** How long content is stored, from when that counts, what stays, and what was deleted last. */
export function Retention() {
  const { me, can, tenant } = useSession()
  const days = me.settings.retentionDays
  return (
    <PrivacyPage
      page="retention"
      about="Content older than the retention period is deleted automatically, except under a legal hold. Each deletion is recorded."
    >
      <Section title="The rule">
        <KeyValues>
          <KeyValue name="Content is deleted after">
            {days === null ? 'Never: no period is set' : formatCount(days, 'day')}
          </KeyValue>
          {can('hold:manage') && (
            <KeyValue name="Exceptions">
              <HoldsInForce />
            </KeyValue>
          )}
          <KeyValue name="Change it">
            <Link href={settingsPath(tenant, 'tenant')} prefetch={false} className="text-link">
              Settings of the organisation
            </Link>
            . A shorter period needs approval.
          </KeyValue>
        </KeyValues>
      </Section>
      <Section title="What it deletes">
        <DataTable
          caption="What retention deletes"
          rows={deleted}
          rowKey={(row) => row.what}
          columns={[
            { key: 'what', header: 'Content', rowHeader: true, cell: (row) => row.what },
            { key: 'from', header: 'Counted from', cell: (row) => row.from },
            { key: 'stays', header: 'What stays', cell: (row) => row.stays },
          ]}
        />
      </Section>
      <Section
        title="Last deletions"
        aside={
          can('audit:read') && (
            <Link
              href={auditPath(tenant, { action: 'traces.expired' })}
              prefetch={false}
              className="text-link inline-flex min-h-6 items-center"
            >
              Deleted days of traces
            </Link>
          )
        }
      >
        <Deletions />
      </Section>
    </PrivacyPage>
  )
}

const deleted: { what: string; from: string; stays: string }[] = [
  {
    what: 'Executions: input, output, steps, events, requests, decisions, received input',
    from: 'The end of the execution',
    stays: 'States, times, digests and audit records',
  },
  {
    what: 'Requests and decisions outside of an execution',
    from: 'The decision',
    stays: 'States, times, digests and audit records',
  },
  { what: 'Traces and their spans', from: 'The day of their first span', stays: 'The audit record of each batch' },
  { what: 'Mails', from: 'Their creation', stays: 'Recipient state and times' },
  {
    what: 'Files',
    from: 'Their creation, once no execution needs them',
    stays: 'Size, type and digest',
  },
]

function HoldsInForce() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  useChanges(['holds'], refreshMs)
  const { data } = useQuery(trpc.holds.list.queryOptions({ limit: limits.pageRows }))
  if (data === undefined) return <span>Loading…</span>
  const count = data.items.filter((hold) => hold.releasedAt === null).length
  return (
    <Link href={privacyPath(tenant, 'holds')} prefetch={false} className="text-link">
      {count === 0 ? 'No legal hold is in force' : `${formatCount(count, 'legal hold')} in force`}
    </Link>
  )
}
