'use client'

import { useParams } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { ExportStatusShape, hasArchive, isOver } from '#components/evidence/export-status.tsx'
import { formatPeriod, isCut } from '#components/evidence/period.ts'
import { resultWords } from '#components/evidence/result-words.ts'
import { scopeText } from '#components/evidence/scope-text.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { type Crumb, Page, PageHeader } from '#components/layout/page.tsx'
import { PageWithFacts } from '#components/layout/page-with-facts.tsx'
import { ActionLink, whoCan } from '#components/navigation/action-link.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { evidencePath, newEvidencePath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import type { Report } from '#lib/verify/report.ts'
import { ArchiveFacts } from './archive-facts.tsx'
import { Cancel } from './cancel.tsx'
import { CheckYourself } from './check-yourself.tsx'
import { Contents } from './contents.tsx'
import { Omissions } from './omissions.tsx'
import { Progress } from './progress.tsx'
import { SaveReport } from './save-report.tsx'
import { Stages } from './stages.tsx'
import { useExport } from './use-export.ts'
import { type LoadedArchive, useLoadedArchive } from './use-loaded-archive.ts'
import { VerifyHere } from './verify-here.tsx'

/** One export, from the request to the archive. */
export function EvidenceExport() {
  const { exportId } = useParams<{ exportId: string }>()
  const { can } = useSession()
  // With evidence:export, members see their own exports.
  if (!can('evidence:list') && !can('evidence:export'))
    return (
      <Page>
        <PageHeader title={t.evidenceExport} />
        <MissingPermission act={t.seeEvidenceExports} permission="evidence:list" />
      </Page>
    )
  return <OneExport key={exportId} exportId={exportId} />
}

function OneExport({ exportId }: { exportId: string }) {
  const loaded = useExport(exportId)
  const [canceling, setCanceling] = useState(false)
  const { data: job } = loaded
  return (
    <>
      <Shown exportId={exportId} loaded={loaded} onCancel={() => setCanceling(true)} />
      {/* Next to the page, which is another one once the export has ended. */}
      {job !== undefined && <Cancel job={job} over={isOver(job.status)} open={canceling} onOpenChange={setCanceling} />}
    </>
  )
}

type ShownProps = { exportId: string; loaded: ReturnType<typeof useExport>; onCancel: () => void }

function Shown({ exportId, loaded: { data: job, error, refetch, paused, resume }, onCancel }: ShownProps) {
  const { tenant, can } = useSession()
  const crumbs = [{ label: t.evidence, href: evidencePath(tenant) }]
  const shownId = <Copyable value={exportId} label={t.exportId} shorten="middle" />
  if (job === undefined)
    return (
      <Page>
        <PageHeader title={t.evidenceExport} crumbs={crumbs} id={shownId} />
        <OpenAlarms />
        {error === null ? (
          <Skeleton label={t.loadingExport} rows={8} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theExport}
            act={t.seeEvidenceExports}
            permission="evidence:list"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  if (hasArchive(job.status)) return <Finished job={job} crumbs={crumbs} id={shownId} />
  return (
    <Page>
      <PageHeader title={titleOf(job)} crumbs={crumbs} id={shownId} facts={<Facts job={job} />} />
      <OpenAlarms />
      <Stages job={job} />
      {!isOver(job.status) && (
        <Section title={t.progress}>
          <Progress job={job} paused={paused} onResume={resume} />
          <div>
            <Button onClick={onCancel} disabledReason={can('evidence:export') ? undefined : whoCan('evidence:export')}>
              {t.cancelExport}
            </Button>
          </div>
        </Section>
      )}
      <Failed job={job} />
    </Page>
  )
}

const titleOf = (job: ExportJob): string => t.evidenceOf({ job: formatPeriod(job) })

/** An export with an archive. What a verification in this browser finds becomes part of the title. */
function Finished({ job, crumbs, id }: { job: ExportJob; crumbs: Crumb[]; id: ReactNode }) {
  const loaded = useLoadedArchive(job)
  const [report, setReport] = useState<Report>()
  // A copy in this browser can be verified although the archive itself is deleted.
  const verifiable = job.archiveGone === null || loaded.state.is === 'loading' || loaded.state.is === 'loaded'
  const head = (
    <>
      <PageHeader
        title={report === undefined ? titleOf(job) : `${titleOf(job)}: ${resultWords(report)}`}
        crumbs={crumbs}
        id={id}
        facts={<Facts job={job} />}
        aside={
          <div className="flex flex-wrap items-start gap-2">
            <Again job={job} />
            {verifiable && <SaveReport loaded={loaded} />}
          </div>
        }
      />
      <OpenAlarms />
      <Stages job={job} />
    </>
  )
  return (
    <PageWithFacts head={head} title={t.theArchive} facts={<ArchiveFacts job={job} />}>
      <Archive job={job} loaded={loaded} verifiable={verifiable} onReport={setReport} />
    </PageWithFacts>
  )
}

/** The form for a new export, with what this one was asked for. */
function Again({ job }: { job: ExportJob }) {
  const { tenant } = useSession()
  return (
    <ActionLink href={newEvidencePath(tenant, { like: job.exportId })} permission="evidence:export" variant="secondary">
      {t.askForSameAgain}
    </ActionLink>
  )
}

function Facts({ job }: { job: ExportJob }) {
  const { status, includeProofs, includeRawPayloads, purpose, scope, covers } = job
  const { me } = useSession()
  const strong = (content: ReactNode) => <strong className="font-semibold">{content}</strong>
  return (
    <>
      <ExportStatusShape status={status} boxed />
      <span>{t.ofOrganisation({ name: me.tenant.name, shown: shownText, strong })}</span>
      {/* Undefined from a process of an older version. */}
      {covers != null && isCut(job, covers) && <span>{t.coversOnly({ covered: formatPeriod(covers) })}</span>}
      <span>{scopeText(scope)}</span>
      <span>
        {t.proofsAndMasking({
          proofs: String(Boolean(includeProofs)),
          raw: String(Boolean(includeRawPayloads)),
        })}
      </span>
      {purpose !== null && (
        <span>
          {t.forPurpose({
            purpose,
            shown: shownText,
            strong,
          })}
        </span>
      )}
    </>
  )
}

function Failed({ job: { status, error }, job }: { job: ExportJob }) {
  if (status !== 'failed' && status !== 'canceled') return null
  const again = <Again job={job} />
  if (status === 'canceled')
    return (
      <Section title={t.canceled}>
        <p>{t.noArchiveWasCreated}</p>
        <div>{again}</div>
      </Section>
    )
  return (
    <ErrorPanel
      title={t.archiveCouldNotBe}
      effect={t.recordsUnchanged({ problem: error === null || error === undefined ? '' : error.message })}
      advice={error?.code === 'integrity_failed' ? t.logDoesNotMatch : t.askFor}
      action={again}
    />
  )
}

type ArchiveProps = { job: ExportJob; loaded: LoadedArchive; verifiable: boolean; onReport: (report: Report) => void }

/** What is left out comes before any tick. */
function Archive({ job, loaded, verifiable, onReport }: ArchiveProps) {
  const { exportId, archiveGone, archiveName, omissions } = job
  const { can } = useSession()
  const onlyMasked = omissions.every(({ reason }) => reason === 'masked')
  return (
    <>
      {omissions.length > 0 && (
        <Section title={onlyMasked ? t.masked : t.missingFromArchive}>
          <Omissions exportId={exportId} omissions={omissions} />
        </Section>
      )}
      {verifiable && (
        // On paper only what was found matters.
        <div className={loaded.state.is === 'loaded' ? undefined : 'print:hidden'}>
          <Section title={t.verifyHere}>
            <VerifyHere loaded={loaded} onReport={onReport} />
          </Section>
        </div>
      )}
      {can('evidence:read') && (
        <Section title={t.contents}>
          <Contents exportId={exportId} />
        </Section>
      )}
      {archiveGone === null && (
        <Section title={t.verifyItYourself}>
          <CheckYourself exportId={exportId} archiveName={archiveName ?? `evidence-room-${exportId}.zip`} />
        </Section>
      )}
    </>
  )
}
