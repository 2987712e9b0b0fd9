'use client'

import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { formatBytes, formatCount, formatDuration } from '#lib/format.ts'
import type { ExportJob, ExportProgress, ExportStage } from '#lib/schemas/evidence.ts'

const WORDS: Record<ExportStage, string> = {
  preflight: 'Checking the log against its signatures',
  collecting: 'Collecting the records of the range',
  sealing: 'Writing and signing the manifest',
  verifying: 'Verifying the archive as its recipients will',
  storing: 'Storing the archive',
}

type ProgressProps = {
  job: ExportJob
  /** The page has stopped polling. */
  paused: boolean
  onResume: () => void
}

/** How far an export is that has not ended. */
export function Progress({ job: { status, progress, pollTimeoutMs }, paused, onResume }: ProgressProps) {
  const words = progress === null ? 'Waiting for a free worker' : WORDS[progress.stage]
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>{status === 'queued' ? 'Waiting for a free worker' : words}</span>
        {progress !== null && <span className="text-ink-2 tabular-nums">{countOf(progress)}</span>}
      </p>
      <progress
        aria-label={words}
        className="h-1.5 w-full accent-accent"
        {...(progress === null || progress.total === null ? {} : barOf(progress.done, progress.total))}
      />
      {paused && (
        <Banner tone="warn" action={<Button onClick={onResume}>Resume checking</Button>}>
          The export is still in progress, but this page stopped checking after {formatDuration(pollTimeoutMs)}. The
          export continues either way.
        </Banner>
      )}
    </>
  )
}

/** The total is an estimate, which the count may pass. */
const barOf = (done: number, total: number) => ({ value: Math.min(done, total), max: Math.max(total, 1) })

function countOf({ unit, done, total }: ExportProgress): string {
  const all = total === null ? undefined : Math.max(done, total)
  if (unit === 'bytes') return all === undefined ? formatBytes(done) : `${formatBytes(done)} of ${formatBytes(all)}`
  const one = { days: 'day', records: 'record', files: 'file' }[unit]
  if (all === undefined) return formatCount(done, one)
  return `${done.toLocaleString('en')} of about ${formatCount(all, one)}`
}
