'use client'

import { useParams } from 'next/navigation'
import { ExportStatusShape, hasArchive, isOver } from '#components/evidence/export-status.tsx'
import { formatPeriod } from '#components/evidence/period.ts'
import { scopeWords } from '#components/evidence/scope-words.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { evidencePath, newEvidencePath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { Cancel } from './cancel.tsx'
import { CheckYourself } from './check-yourself.tsx'
import { Contents } from './contents.tsx'
import { Download } from './download.tsx'
import { Omissions } from './omissions.tsx'
import { Progress } from './progress.tsx'
import { Stages } from './stages.tsx'
import { useExport } from './use-export.ts'
import { VerifyHere } from './verify-here.tsx'

/** One export, from the request to the archive. */
export function EvidenceExport() {
  const { exportId } = useParams<{ exportId: string }>()
  const { can } = useSession()
  // With evidence:export, members see their own exports.
  if (!can('evidence:list') && !can('evidence:export'))
    return (
      <Page>
        <PageHeader title="Evidence export" />
        <MissingPermission act="see evidence exports" permission="evidence:list" />
      </Page>
    )
  return <OneExport key={exportId} exportId={exportId} />
}

function OneExport({ exportId }: { exportId: string }) {
  const { tenant } = useSession()
  const { data: job, error, refetch, paused, resume } = useExport(exportId)
  const crumbs = [{ label: 'Evidence', href: evidencePath(tenant) }]
  const shownId = <Copyable value={exportId} label="export ID" shorten="middle" />
  if (job === undefined)
    return (
      <Page>
        <PageHeader title="Evidence export" crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label="Loading the export…" rows={8} />
        ) : (
          <RequestFailed
            error={error}
            what="The export"
            act="see evidence exports"
            permission="evidence:list"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page>
      <PageHeader title={`Evidence of ${formatPeriod(job)}`} crumbs={crumbs} id={shownId} facts={<Facts job={job} />} />
      <Stages job={job} />
      {!isOver(job.status) && (
        <Section title="Progress">
          <Progress job={job} paused={paused} onResume={resume} />
          <div>
            <Cancel job={job} />
          </div>
        </Section>
      )}
      <Failed job={job} />
      {hasArchive(job.status) && <Archive job={job} />}
    </Page>
  )
}

function Facts({ job }: { job: ExportJob }) {
  const { status, includeProofs, includeRawPayloads, purpose, scope } = job
  return (
    <>
      <ExportStatusShape status={status} boxed />
      <span>{scopeWords(scope)}</span>
      <span>
        {includeProofs ? 'With proofs' : 'Without proofs'}, sensitive values{' '}
        {includeRawPayloads ? 'unmasked' : 'masked'}
      </span>
      {purpose !== null && (
        <span>
          For{' '}
          <strong className="font-semibold">
            <ShownText>{purpose}</ShownText>
          </strong>
        </span>
      )}
    </>
  )
}

function Failed({ job: { status, error } }: { job: ExportJob }) {
  const { tenant } = useSession()
  if (status !== 'failed' && status !== 'canceled') return null
  const again = (
    <ActionLink href={newEvidencePath(tenant)} permission="evidence:export" variant="secondary">
      Start a new export
    </ActionLink>
  )
  if (status === 'canceled')
    return (
      <Section title="Canceled">
        <p>No archive was created. The audit log records who canceled the export, and why.</p>
        <div>{again}</div>
      </Section>
    )
  return (
    <ErrorPanel
      title="The archive could not be created."
      effect={`${error?.message ?? ''} The records themselves were not changed.`}
      advice={
        error?.code === 'integrity_failed'
          ? 'The log does not match its own hashes. Notify the operator of this installation immediately.'
          : 'Start a new export.'
      }
      action={again}
    />
  )
}

function Archive({ job }: { job: ExportJob }) {
  const { can } = useSession()
  const { archiveGone, containsErased, expiresAt, omissions } = job
  return (
    <>
      {omissions.length > 0 && (
        <Section title={omissions.every(({ reason }) => reason === 'masked') ? 'Masked' : 'Missing from the archive'}>
          <Omissions omissions={omissions} />
        </Section>
      )}
      <Section title="Download">
        {containsErased.length > 0 && archiveGone === null && (
          <Banner tone="warn">
            This archive contains data that was erased after it was made. Pass it on only if the erasure allows that.
          </Banner>
        )}
        {archiveGone === null ? (
          <>
            <Download job={job} />
            <p className="text-ink-2">
              A download that breaks off can be resumed (curl -C -).{' '}
              {expiresAt === null ? (
                'It is not deleted by age.'
              ) : (
                <>
                  Kept until <Time at={expiresAt} />, or for as long as a legal hold protects it.
                </>
              )}
            </p>
          </>
        ) : (
          <p>
            {GONE[archiveGone.reason]} <Time at={archiveGone.at} />. This page, the manifest and the digests are kept.
          </p>
        )}
      </Section>
      {archiveGone === null && (
        <Section title="Verify here">
          <VerifyHere job={job} />
        </Section>
      )}
      {can('evidence:read') && (
        <Section title="Contents">
          <Contents exportId={job.exportId} />
        </Section>
      )}
      {archiveGone === null && (
        <Section title="Verify it yourself">
          <CheckYourself exportId={job.exportId} archiveName={job.archiveName ?? `evidence-room-${job.exportId}.zip`} />
        </Section>
      )}
      <Digests job={job} />
    </>
  )
}

const GONE = {
  retention_expired: 'The organisation’s retention of archives deleted this archive',
  erased: 'An erasure deleted this archive, because it contained the erased data:',
}

function Digests({ job: { sha256, manifestSha256 } }: { job: ExportJob }) {
  return (
    <details>
      <summary>Digests</summary>
      <KeyValues>
        {sha256 !== null && (
          <KeyValue name="SHA-256 of the ZIP">
            <Copyable value={sha256} label="SHA-256 of the ZIP" />
          </KeyValue>
        )}
        {manifestSha256 !== null && (
          <KeyValue name="SHA-256 of manifest.json">
            <Copyable value={manifestSha256} label="SHA-256 of manifest.json" />
          </KeyValue>
        )}
      </KeyValues>
    </details>
  )
}
