import type { ReactNode } from 'react'
import { hasArchive } from '#components/evidence/export-status.tsx'
import { objectsIn } from '#components/evidence/objects-in.ts'
import { formatBytes } from '#components/language/formats.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { SealShape } from '#components/ui/status/seal.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { ExportJob, ExportManifest } from '#lib/schemas/evidence.ts'
import { useManifest } from './use-export.ts'

type Step = { name: string; at: string | null; note?: ReactNode }

/** How the archive came about: each step with the time at which it was done. */
export function Stages({ job }: { job: ExportJob }) {
  const { can } = useSession()
  const manifest = useManifest(job.exportId, hasArchive(job.status) && can('evidence:read')).data
  return (
    <ol className="grid grid-cols-1 gap-x-2 gap-y-2 rail:grid-cols-5" aria-label={t.howArchiveCameAbout}>
      {stepsOf(job, manifest).map(({ name, at, note }) => (
        <li key={name} className="flex min-w-0 gap-2 rail:flex-col rail:gap-1">
          <span className="flex items-center gap-2">
            <SealShape state={at === null ? 'unsealed' : 'sealed'} />
            <span aria-hidden="true" className="hidden h-px flex-1 bg-line rail:block" />
          </span>
          <span className="flex min-w-0 flex-wrap gap-x-1.5 rail:flex-col">
            <span>
              <strong className="font-semibold">{name}</strong>{' '}
              {at === null ? (
                <VisuallyHidden>{t.notYet}</VisuallyHidden>
              ) : (
                <span className="text-dense text-ink-2 rail:block">
                  <Time at={at} show="clock" />
                </span>
              )}
            </span>
            {note !== undefined && <span className="text-dense text-ink-2">{note}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

/**
 * A step is done when the next one begins. Exports from before their stages were recorded have only the first and the last.
 * `manifest`: counts what each step brought, once it is there.
 */
function stepsOf(
  { createdAt, requestedBy, stages, endedAt, status, archiveBytes }: ExportJob,
  manifest?: ExportManifest,
): Step[] {
  const begins = (stage: string) => stages.find((one) => one.stage === stage)?.at ?? null
  const done = status === 'completed' || status === 'completed_with_omissions' ? endedAt : null
  const noted = manifest && notesOf(manifest, archiveBytes)
  const steps: Step[] = [
    { name: t.asked, at: createdAt, note: <ShownText>{requestedBy.displayName}</ShownText> },
    { name: t.logChecked, at: begins('collecting'), note: noted?.days },
    { name: t.collected, at: begins('sealing'), note: noted?.rows },
    { name: t.verified, at: begins('storing'), note: noted && t.byItsOwnVerifier },
    { name: t.kept, at: done, note: noted?.files },
  ]
  return stages.length === 0 ? steps.filter(({ name }) => name === t.asked || name === t.kept) : steps
}

function notesOf({ days, counts, files }: ExportManifest, archiveBytes: number | null) {
  return {
    days: t.daysWithoutGap({ days: days.length }),
    rows: t.recordsAndObjects({ records: counts.audit ?? 0, objects: objectsIn(counts) }),
    files: archiveBytes === null ? undefined : t.filesPacked({ files: files.length, bytes: formatBytes(archiveBytes) }),
  }
}
