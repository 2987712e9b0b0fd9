import type { ReactNode } from 'react'
import * as t from '#components/texts/evidence-export/en.ts'
import { SealShape } from '#components/ui/status/seal.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'

type Step = { name: string; at: string | null; note?: ReactNode }

/** How the archive came about: each step with the time at which it was done. */
export function Stages({ job }: { job: ExportJob }) {
  return (
    <ol className="grid grid-cols-1 gap-x-2 gap-y-2 rail:grid-cols-5" aria-label={t.howArchiveCameAbout}>
      {stepsOf(job).map(({ name, at, note }) => (
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

/** A step is done when the next one begins. Exports from before their stages were recorded have only the first and the last. */
function stepsOf({ createdAt, requestedBy, stages, endedAt, status }: ExportJob): Step[] {
  const begins = (stage: string) => stages.find((one) => one.stage === stage)?.at ?? null
  const done = status === 'completed' || status === 'completed_with_omissions' ? endedAt : null
  const steps: Step[] = [
    { name: t.asked, at: createdAt, note: <ShownText>{requestedBy.displayName}</ShownText> },
    { name: t.logChecked, at: begins('collecting') },
    { name: t.collected, at: begins('sealing') },
    { name: t.verified, at: begins('storing') },
    { name: t.kept, at: done },
  ]
  return stages.length === 0 ? steps.filter(({ name }) => name === t.asked || name === t.kept) : steps
}
