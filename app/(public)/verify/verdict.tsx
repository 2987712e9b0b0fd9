import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { formatCount } from '#lib/format.ts'
import type { Check, State, VerdictName } from '#lib/verify/report.ts'
import { questions } from '#lib/verify/words.ts'

const states: Record<State, { status: Status; label: string }> = {
  holds: { status: 'approved', label: 'Holds' },
  fails: { status: 'failed', label: 'Fails' },
  'not checked': { status: 'pending', label: 'Not checked' },
}

type VerdictProps = {
  name: VerdictName
  /** Undefined while checks are still running. */
  state: State | undefined
  checks: readonly Check[]
}

/** One of the five questions with its answer. What fails or could not be checked is shown at once, the rest on request. */
export function Verdict({ name, state, checks }: VerdictProps) {
  const { title, question } = questions[name]
  const held = checks.filter((check) => check.state === 'holds')
  return (
    <li className="flex flex-col gap-1 border-line border-t py-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-semibold text-base">{title}</h2>
        {state !== undefined && <StatusShape {...states[state]} />}
      </div>
      <p className="text-ink-2">{question}</p>
      <Checks checks={checks.filter((check) => check.state !== 'holds')} />
      {held.length > 0 && (
        <details>
          <summary className="cursor-pointer">{formatCount(held.length, 'check holds', 'checks hold')}</summary>
          <Checks checks={held} />
        </details>
      )}
    </li>
  )
}

function Checks({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null
  return (
    <ul>
      {checks.map(({ name, state, detail }) => (
        <li key={name} className="flex flex-col py-1">
          <StatusShape status={states[state].status} label={name} />
          <span className="wrap-anywhere">
            <ShownText>{detail}</ShownText>
          </span>
        </li>
      ))}
    </ul>
  )
}
