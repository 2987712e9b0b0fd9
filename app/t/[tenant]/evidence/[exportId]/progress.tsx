'use client'

import { formatBytes, formatDuration, formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { ExportJob, ExportProgress, ExportStage } from '#lib/schemas/evidence.ts'

const WORDS: Record<ExportStage, string> = {
  preflight: t.checkingLogAgainstIts,
  collecting: t.collectingRecordsOfRange,
  sealing: t.writingAndSigningManifest,
  verifying: t.verifyingArchiveAsIts,
  storing: t.storingArchive,
}

type ProgressProps = {
  job: ExportJob
  /** The page has stopped polling. */
  paused: boolean
  onResume: () => void
}

/** How far an export is that has not ended. */
export function Progress({ job: { status, progress, pollTimeoutMs }, paused, onResume }: ProgressProps) {
  const words = progress === null ? t.waitingForFreeWorker : WORDS[progress.stage]
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>{status === 'queued' ? t.waitingForFreeWorker : words}</span>
        {progress !== null && <span className="text-ink-2 tabular-nums">{countOf(progress)}</span>}
      </p>
      <progress
        aria-label={words}
        className="h-1.5 w-full accent-accent"
        {...(progress === null || progress.total === null ? {} : barOf(progress.done, progress.total))}
      />
      {paused && (
        <Banner tone="warn" action={<Button onClick={onResume}>{t.resumeChecking}</Button>}>
          {t.exportIsStillIn({ minutes: formatDuration(pollTimeoutMs) })}
        </Banner>
      )}
    </>
  )
}

/** The total is an estimate, which the count may pass. */
const barOf = (done: number, total: number) => ({ value: Math.min(done, total), max: Math.max(total, 1) })

function countOf({ unit, done, total }: ExportProgress): string {
  const all = total === null ? undefined : Math.max(done, total)
  if (unit === 'bytes')
    return all === undefined ? formatBytes(done) : t.doneOf({ done: formatBytes(done), all: formatBytes(all) })
  if (all === undefined) return t.counted({ unit, count: done })
  return t.countedOf({ done: formatNumber(done), unit, count: all })
}
