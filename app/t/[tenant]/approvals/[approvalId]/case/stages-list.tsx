import * as t from '#components/texts/approval-case/en.ts'
import { KeyValue } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'

type Stage = Approval['stages'][number]

/** The groups that decide one after the other; nothing for a request with one. */
export function StagesList({ stages }: { stages: readonly Stage[] }) {
  if (stages.length === 0) return null
  return (
    <ol className="mt-1 flex list-decimal flex-col gap-0.5 pl-5">
      {stages.map(({ group, groupName, quorum, status }) => (
        <li
          key={groupName}
          aria-current={status === 'current' ? 'step' : undefined}
          className={status === 'current' ? 'font-semibold' : 'text-ink-2'}
        >
          <ShownText>{group}</ShownText>, {quorum === 1 ? t.onePerson : t.people({ quorum })}: {words[status]}
        </li>
      ))}
    </ol>
  )
}

const words: Readonly<Record<Stage['status'], string>> = {
  approved: t.approvedStage,
  current: t.decidingNow,
  next: t.askedAfterwards,
}

/** What happens by itself while no one decides, or why the clock is stopped. */
export function ClockLines({ clock: { stopped, remindsAt, escalatesAt } }: { clock: Approval['clock'] }) {
  if (stopped !== null)
    return (
      <KeyValue name={t.clock}>
        {t.stoppedSinceTimeBecause({ at: () => <Time at={stopped.since} />, by: stopped.by })}
      </KeyValue>
    )
  if (remindsAt === null && escalatesAt === null) return null
  return (
    <KeyValue name={t.byItself}>
      <span className="flex flex-col">
        {remindsAt !== null && (
          <span>{t.reviewersAreRemindedTime({ at: () => <Time at={remindsAt} show="relative" /> })}</span>
        )}
        {escalatesAt !== null && (
          <span>{t.escalationGroupDecidesFrom({ at: () => <Time at={escalatesAt} show="relative" /> })}</span>
        )}
      </span>
    </KeyValue>
  )
}
