'use client'

import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { formatDuration } from '#lib/format.ts'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

const STAGES: { status: ExportStatus; words: string }[] = [
  { status: 'queued', words: 'Waits for a free worker' },
  { status: 'preflight', words: 'Checks every record of the log against its hashes' },
  { status: 'collecting', words: 'Collects the records of the period' },
  { status: 'sealing', words: 'Writes the manifest and signs it' },
]

type ProgressProps = {
  status: ExportStatus
  /** The page no longer looks by itself. */
  paused: boolean
  onResume: () => void
  pollTimeoutMs: number
}

/** How far an export is that is still being made. */
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
      {/* A state that this page doesn't know is shown by its own name. */}
      {current < 0 && <p>State: {status}</p>}
      {paused && (
        <Banner tone="warn" action={<Button onClick={onResume}>Resume checking</Button>}>
          It is still being made, and this page stopped looking after {formatDuration(pollTimeoutMs)}. The export goes
          on without it.
        </Banner>
      )}
    </>
  )
}

function shapeAt(index: number, current: number): Status {
  if (index < current) return 'approved'
  return index === current ? 'running' : 'pending'
}
