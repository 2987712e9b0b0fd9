import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { verifyPath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { Chain } from './chain.tsx'
import { Download } from './download.tsx'
import { Downloads } from './downloads.tsx'
import { useManifest } from './use-export.ts'

const GONE = {
  retention_expired: t.organisationsRetentionOfArchives,
  erased: t.erasureDeletedThisArchive,
}

/** The archive: how to get it, how long it is kept, its digests, and how to check it without this service. */
export function ArchiveFacts({ job }: { job: ExportJob }) {
  const { archiveGone, containsErased, expiresAt, sha256, manifestSha256 } = job
  const { can } = useSession()
  const manifest = useManifest(job.exportId, can('evidence:read')).data
  const name = job.archiveName ?? `evidence-room-${job.exportId}.zip`
  return (
    <>
      {containsErased.length > 0 && archiveGone === null && <Banner tone="warn">{t.thisArchiveContainsData}</Banner>}
      {archiveGone === null ? (
        <>
          <Download job={job} />
          <p className="text-dense text-ink-2">
            {expiresAt === null ? t.itIsNotDeleted : t.keptUntilTimeOr({ at: () => <Time at={expiresAt} /> })}
          </p>
        </>
      ) : (
        <p>{GONE[archiveGone.reason]({ at: () => <Time at={archiveGone.at} /> })}</p>
      )}
      <KeyValues>
        {manifest !== undefined && (
          <KeyValue name={t.type}>
            {t.typeAndFormat({ type: manifest.type, format: String(manifest.formatVersion ?? 1) })}
          </KeyValue>
        )}
        {sha256 !== null && (
          <KeyValue name={t.sha256}>
            <Copyable value={sha256} label={t.sha256OfZip} shorten="middle" />
          </KeyValue>
        )}
        {can('audit:read') && (
          <KeyValue name={t.downloads}>
            <Downloads exportId={job.exportId} />
          </KeyValue>
        )}
        {manifestSha256 !== null && (
          <KeyValue name={t.manifest}>
            <Copyable value={manifestSha256} label={t.sha256OfManifest} shorten="middle" />
          </KeyValue>
        )}
      </KeyValues>
      {archiveGone === null && (
        <section className="flex flex-col gap-2">
          <h3 className="text-base">{t.sameCheckOnYourMachine}</h3>
          <Copyable value={t.nodeVerifyMjs({ name })} label={t.commandOfVerifier} />
          <p className="text-dense text-ink-2">
            {t.archiveContainsVerifyMjs({
              a: (content) => (
                <a href={verifyPath()} className="text-link">
                  {content}
                </a>
              ),
            })}
          </p>
        </section>
      )}
      {manifest?.previousExportId !== undefined && <Chain job={job} before={manifest.previousExportId} />}
    </>
  )
}
