'use client'

import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { formatDuration } from '#lib/format.ts'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

const STAGES: { status: ExportStatus; words: string }[] = [
  { status: 'queued', words: 'Waiting for a free worker' },
  { status: 'preflight', words: 'Checking every record of the log against its hashes' },
  { status: 'collecting', words: 'Collecting the records of the period' },
  { status: 'sealing', words: 'Writing and signing the manifest' },
]

type ProgressProps = {
  status: ExportStatus
  /** The page has stopped polling. */
  paused: boolean
  onResume: () => void
  pollTimeoutMs: number
}

/** The progress of an export that has not ended. */
export function Progress({ status, paused, onResume, pollTimeoutMs }: ProgressProps) {
  const current = STAGES.findIndex((stage) => stage.status === status)
  return (
    <>
      <ol className="border-line border-b">
        {STAGES.map((stage, index) => (
          <li
            key={stage.status}
            aria-current={index === current ? 'step' : undefined}
            className="border-line border-t py-1.5"
          >
            <StatusShape status={shapeAt(index, current)} label={stage.words} />
          </li>
        ))}
      </ol>
      {/* An unknown state is shown by its name. */}
      {current < 0 && <p>State: {status}</p>}
      {paused && (
        <Banner tone="warn" action={<Button onClick={onResume}>Resume checking</Button>}>
          The export is still in progress, but this page stopped checking after {formatDuration(pollTimeoutMs)}. The
          export continues either way.
        </Banner>
      )}
    </>
  )
}

function shapeAt(index: number, current: number): Status {
  if (index < current) return 'approved'
  return index === current ? 'running' : 'pending'
}
