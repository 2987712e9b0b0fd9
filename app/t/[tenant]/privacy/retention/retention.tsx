'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { Section } from '#components/page/section.tsx'
import { PrivacyPage } from '#components/privacy/privacy-page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { PendingSettings } from '#components/settings/pending-settings.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { limits } from '#lib/limits.ts'
import { auditPath, privacyPath, settingsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Deletions } from './deletions.tsx'
import { pendingRetention } from './pending-retention.ts'

const refreshMs = 60_000

/** How long content is stored, from when that counts, what stays, and what was deleted last. */
export function Retention() {
  const { me, can, tenant } = useSession()
  const { retentionDays: days, archiveRetentionDays: archiveDays } = me.settings
  return (
    <PrivacyPage page="retention" about={t.contentOlderThanRetention}>
      <Section title={t.theRule}>
        {can('tenant:manage') && <PendingRetention />}
        <KeyValues>
          <KeyValue name={t.contentIsDeletedAfter}>{days === null ? t.neverNoPeriodIs : t.days({ days })}</KeyValue>
          <KeyValue name={t.archivesAreDeletedAfter}>
            {archiveDays === null ? t.neverNoPeriodIs : t.days({ days: archiveDays })}
          </KeyValue>
          {can('hold:manage') && (
            <KeyValue name={t.exceptions}>
              <HoldsInForce />
            </KeyValue>
          )}
          <KeyValue name={t.changeIt}>
            {t.settingsOfOrganisationShorter({
              link: (content) => (
                <Link href={settingsPath(tenant, 'tenant')} prefetch={false} className="text-link">
                  {content}
                </Link>
              ),
            })}
          </KeyValue>
        </KeyValues>
      </Section>
      <Section title={t.whatItDeletes}>
        <DataTable
          caption={t.whatRetentionDeletes}
          rows={deleted}
          rowKey={(row) => row.what}
          columns={[
            { key: 'what', header: t.content, rowHeader: true, cell: (row) => row.what },
            { key: 'from', header: t.countedFrom, cell: (row) => row.from },
            { key: 'stays', header: t.whatStays, cell: (row) => row.stays },
          ]}
        />
      </Section>
      <Section
        title={t.lastDeletions}
        aside={
          can('audit:read') && (
            <Link
              href={auditPath(tenant, { action: 'traces.expired' })}
              prefetch={false}
              className="text-link inline-flex min-h-6 items-center"
            >
              {t.deletedDaysOfTraces}
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
    what: t.executionsInputOutputSteps,
    from: t.endOfExecution,
    stays: t.statesTimesDigestsAnd,
  },
  {
    what: t.requestsAndDecisionsOutside,
    from: t.theDecision,
    stays: t.statesTimesDigestsAnd,
  },
  { what: t.tracesAndTheirSpans, from: t.dayOfTheirFirst, stays: t.auditRecordOfEach },
  { what: t.mails, from: t.theirCreation, stays: t.recipientStateAndTimes },
  {
    what: t.files,
    from: t.theirCreationOnceNo,
    stays: t.sizeTypeAndDigest,
  },
  { what: t.archivesOfEvidence, from: t.theirCompletion, stays: t.jobManifestAndDigests },
]

/** Shown to those who may read the settings, like on their own page. */
function PendingRetention() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.tenants.getSettings.queryOptions())
  const pending = pendingRetention(data?.pending ?? null)
  return pending === undefined ? null : <PendingSettings pending={pending} />
}

function HoldsInForce() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  useChanges(['holds'], refreshMs)
  const { data } = useQuery(trpc.holds.list.queryOptions({ limit: limits.pageRows }))
  if (data === undefined) return <span>{t.loading}</span>
  const count = data.items.filter((hold) => hold.releasedAt === null).length
  return (
    <Link href={privacyPath(tenant, 'holds')} prefetch={false} className="text-link">
      {count === 0 ? t.noLegalHoldIs : t.legalHoldsInForce({ legalHolds: count })}
    </Link>
  )
}
