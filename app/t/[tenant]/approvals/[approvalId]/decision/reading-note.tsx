'use client'

import { Button } from '#components/ui/controls/button.tsx'
import type { DecisionControl } from './use-decision.ts'

/** Where the tenant requires a time to read: why approving takes it, and what to do if it could not begin. */
export function ReadingNote({ decision: { machine, opening } }: { decision: DecisionControl }) {
  const reading = machine.shown?.reading ?? null
  if (reading === null) return null
  if (opening.failure !== undefined && reading.openedAt === null)
    return (
      <div role="alert" className="flex flex-col items-start gap-2 text-dense">
        <p>The time to read could not begin: {opening.failure.message}</p>
        <Button onClick={opening.reset}>Try again</Button>
      </div>
    )
  return (
    <p className="text-dense text-ink-2">
      Your organisation requires at least {reading.seconds} s of reading before a request of this risk is approved.
      Rejecting needs no time.
    </p>
  )
}
