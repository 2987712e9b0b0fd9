'use client'

import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/approval-decision/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { DecisionControl } from './use-decision.ts'

/** Where the tenant requires a time to read: why approving takes it, and what to do if it could not begin. */
export function ReadingNote({ decision: { machine, opening } }: { decision: DecisionControl }) {
  const reading = machine.shown?.reading ?? null
  if (reading === null) return null
  if (opening.failure !== undefined && reading.openedAt === null)
    return (
      <div role="alert" className="flex flex-col items-start gap-2 text-dense">
        <p>{t.timeToReadCould({ message: failureText(opening.failure) })}</p>
        <Button onClick={opening.reset}>{t.tryAgain}</Button>
      </div>
    )
  return <p className="text-dense text-ink-2">{t.yourOrganisationRequiresAt({ seconds: reading.seconds })}</p>
}
