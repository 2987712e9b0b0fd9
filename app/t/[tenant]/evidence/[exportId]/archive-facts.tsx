import { useSession } from '#components/session/session-provider.tsx'
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
  retention_expired: 'The organisation’s retention of archives deleted this archive',
  erased: 'An erasure deleted this archive, because it contained the erased data:',
}

/** The archive: how to get it, how long it is kept, its digests, and how to check it without this service. */
export function ArchiveFacts({ job }: { job: ExportJob }) {
  const { archiveGone, containsErased, expiresAt, sha256, manifestSha256 } = job
  const { can } = useSession()
  const manifest = useManifest(job.exportId, can('evidence:read')).data
  const name = job.archiveName ?? `evidence-room-${job.exportId}.zip`
  return (
    <>
      {containsErased.length > 0 && archiveGone === null && (
        <Banner tone="warn">
          This archive contains data that was erased after it was made. Pass it on only if the erasure allows that.
        </Banner>
      )}
      {archiveGone === null ? (
        <>
          <Download job={job} />
          <p className="text-dense text-ink-2">
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
      <KeyValues>
        {manifest !== undefined && (
          <KeyValue name="Type">
            {manifest.type}, format {manifest.formatVersion ?? 1}
          </KeyValue>
        )}
        {sha256 !== null && (
          <KeyValue name="SHA-256">
            <Copyable value={sha256} label="SHA-256 of the ZIP" shorten="middle" />
          </KeyValue>
        )}
        {can('audit:read') && (
          <KeyValue name="Downloads">
            <Downloads exportId={job.exportId} />
          </KeyValue>
        )}
        {manifestSha256 !== null && (
          <KeyValue name="Manifest">
            <Copyable value={manifestSha256} label="SHA-256 of manifest.json" shorten="middle" />
          </KeyValue>
        )}
      </KeyValues>
      {archiveGone === null && (
        <section className="flex flex-col gap-2">
          <h3 className="text-base">The same check without us</h3>
          <Copyable value={`node verify.mjs ${name}`} label="command of the verifier" />
          <p className="text-dense text-ink-2">
            The archive contains verify.mjs, one file that needs only Node. Or drop the archive on{' '}
            <a href={verifyPath()} className="text-link">
              the verify page
            </a>
            : nothing is uploaded.
          </p>
        </section>
      )}
      {manifest?.previousExportId !== undefined && <Chain job={job} before={manifest.previousExportId} />}
    </>
  )
}
