import * as t from '#components/texts/verify/en.ts'
import { SealShape, type SealState } from '#components/ui/status/seal.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Check, State, VerdictName } from '#lib/verify/report.ts'
import { questions } from './words.ts'

const states: Record<State, { seal: SealState; label: string; inLine: string; color: string }> = {
  holds: { seal: 'verified', label: t.holds, inLine: t.checkHolds, color: 'text-ok' },
  fails: { seal: 'mismatch', label: t.fails, inLine: t.checkFails, color: 'text-danger' },
  'not checked': { seal: 'unsealed', label: t.notChecked, inLine: t.checkNotChecked, color: 'text-ink-2' },
}

type VerdictProps = {
  name: VerdictName
  /** Undefined while checks are still running. */
  state: State | undefined
  checks: readonly Check[]
  /** The level of its heading. */
  level: 2 | 3 | 4
}

/** One of the five questions with its answer. What fails or could not be checked is shown at once, the rest on request. */
export function Verdict({ name, state, checks, level }: VerdictProps) {
  const { title, question } = questions[name]
  const Heading = `h${level}` as const
  const held = checks.filter((check) => check.state === 'holds')
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-line border-t py-2.5 @min-[42rem]:grid-cols-[9.5rem_6.5rem_minmax(0,1fr)]">
      <Heading className="flex items-center gap-2 self-start font-semibold text-base">
        <SealShape state={state === undefined ? 'unsealed' : states[state].seal} />
        {title}
      </Heading>
      <span className={classNames('font-semibold', state !== undefined && states[state].color)}>
        {state !== undefined && states[state].label}
      </span>
      <div className="col-span-2 flex min-w-0 flex-col gap-1 @min-[42rem]:col-span-1">
        <p className="text-ink-2">{question}</p>
        {state === 'holds' && <Answer name={name} checks={held} />}
        <Checks checks={checks.filter((check) => check.state !== 'holds')} />
        {held.length > 0 && (
          <details>
            <summary className="min-h-6 w-fit cursor-pointer">{t.checksHold({ count: held.length })}</summary>
            <Checks checks={held} />
          </details>
        )}
      </div>
    </li>
  )
}

/** The check that answers the question, where it was made. */
const answeredBy: Record<VerdictName, readonly string[]> = {
  integrity: ['Files'],
  origin: ['Key'],
  log: ['Rows'],
  completeness: ['Rows', 'Days'],
  freshness: ['Newest head', 'Other archive'],
}

function Answer({ name, checks }: { name: VerdictName; checks: readonly Check[] }) {
  const [answer] = answeredBy[name].flatMap((one) => checks.find((check) => check.name === one) ?? [])
  return answer === undefined ? null : (
    <p lang="en" className="wrap-anywhere">
      <ShownText>{answer.detail}</ShownText>
    </p>
  )
}

function Checks({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null
  return (
    <ul>
      {checks.map(({ name, state, detail }) => (
        <li key={name} className="flex gap-2 py-1">
          <SealShape state={states[state].seal} className="mt-0.5" />
          <span className="wrap-anywhere min-w-0">
            <strong lang="en" className="font-semibold">
              {name}
            </strong>{' '}
            <span className={states[state].color}>{states[state].inLine}</span> <ShownText>{detail}</ShownText>
          </span>
        </li>
      ))}
    </ul>
  )
}
