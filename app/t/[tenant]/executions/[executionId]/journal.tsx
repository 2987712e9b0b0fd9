'use client'

import Link from 'next/link'
import { useContext, useId } from 'react'
import { JsonView } from '#components/json/json-view.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-journal/en.ts'
import * as language from '#components/texts/language/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatSeconds, zoneName } from '#components/ui/text/time-format.ts'
import { dateFormat } from '#lib/formatters.ts'
import { approvalPath, isPathParameter } from '#lib/paths.ts'
import type { Execution, ExecutionEvent } from '#lib/schemas/executions.ts'
import { Deciders } from './deciders.tsx'
import { daysBegun, type EventGroup, eventGroups, type Gap } from './event-groups.ts'
import { type JournalEntry, journalEntry } from './journal-entry.ts'
import { useJournal } from './use-execution.ts'

/** All events in order, grouped by step on one line. Each gap between events is folded into one row. */
export function Journal({ execution }: { execution: Execution }) {
  const zone = useContext(TimeZoneContext)
  const { data: events, error, refetch } = useJournal(execution.id, execution)
  if (events === undefined)
    return error === null ? (
      <Skeleton label={t.loadingJournal} rows={5} rowClass="h-10" />
    ) : (
      <RequestFailed
        error={error}
        what={t.theJournal}
        act={t.seeExecutions}
        permission="execution:read"
        retry={() => void refetch()}
      />
    )
  if (events.length === 0) return <p className="text-ink-2">{t.noEventsYetExecution}</p>
  const days = daysBegun(events, zone)
  const steps = new Map(execution.steps.map((step, index) => [step.id, { step, number: index + 1 }]))
  return (
    <ol className="flex flex-col gap-4">
      {eventGroups(events).map((part) =>
        part.kind === 'gap' ? (
          <GapLine key={part.key} gap={part} />
        ) : (
          <Group
            key={part.key}
            group={part}
            days={days}
            erased={execution.erased.length > 0}
            known={part.stepId === null ? undefined : steps.get(part.stepId)}
          />
        ),
      )}
    </ol>
  )
}

type KnownStep = { step: Execution['steps'][number]; number: number }

type GroupProps = {
  group: EventGroup
  days: ReadonlyMap<number, string>
  erased: boolean
  known: KnownStep | undefined
}

function Group({ group: { stepId, items }, days, erased, known }: GroupProps) {
  const id = useId()
  return (
    <li aria-labelledby={stepId === null ? undefined : id} className="flex flex-col gap-2">
      {stepId !== null && (
        <h3 id={id} className="flex flex-wrap items-baseline gap-x-3 border-line border-b pb-1">
          <span className="font-semibold">
            {t.stepNumber({ number: String(known?.number ?? ''), stepId, shown: shownText })}
          </span>
          {known?.step.kind === 'tool' && (
            <code className="wrap-anywhere font-mono font-normal text-dense text-ink-2">
              <ShownText>{known.step.title}</ShownText>
            </code>
          )}
        </h3>
      )}
      <ol className="flex flex-col">
        {items.map((item) =>
          item.kind === 'gap' ? (
            <GapLine key={item.key} gap={item} />
          ) : (
            <Event key={item.event.seq} event={item.event} day={days.get(item.event.seq)} erased={erased} />
          ),
        )}
      </ol>
    </li>
  )
}

/** A gap of any length takes one line. */
function GapLine({ gap: { lasted, why } }: { gap: Gap }) {
  return (
    <li className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 pb-4 text-dense text-ink-2 narrow:grid-cols-[6.5rem_minmax(0,1fr)]">
      <span aria-hidden="true" className="self-center border-line-strong border-t border-dashed" />
      <span className="pl-5">{why({ lasted: formatDuration(lasted) })}</span>
    </li>
  )
}

type EventProps = { event: ExecutionEvent; day: string | undefined; erased: boolean }

/** `day` is set for the first event of a day. */
function Event({ event, day, erased }: EventProps) {
  const entry = journalEntry(event)
  return (
    <li className="group relative grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 narrow:grid-cols-[6.5rem_minmax(0,1fr)]">
      <div className="flex flex-col text-dense text-ink-2 leading-5">
        {day !== undefined && <span>{day}</span>}
        <Clock at={event.at} />
      </div>
      <div className="relative border-line-strong border-l pb-4 pl-5 group-last:border-transparent group-last:pb-0">
        <span className="absolute top-0 -left-[8.5px] grid h-5 place-items-center bg-canvas">
          <StatusShape status={entry.shape} label="" />
        </span>
        <div className="flex flex-col gap-0.5">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-semibold">
              <ShownText>{entry.title}</ShownText>
            </span>
            <RequestLink entry={entry} />
          </p>
          {entry.note !== undefined && (
            <p className="wrap-anywhere text-dense text-ink-2">
              <ShownText>{entry.note}</ShownText>
            </p>
          )}
          {event.type === 'approval.decided' && entry.approvalId !== undefined && (
            <Deciders approvalId={entry.approvalId} />
          )}
          {entry.payloads.map(({ name, value }) => (
            <details key={name}>
              <summary className="w-fit min-h-6 text-dense text-ink-2">{name}</summary>
              <JsonView value={value} erased={erased} />
            </details>
          ))}
        </div>
      </div>
    </li>
  )
}

function RequestLink({ entry: { approvalId } }: { entry: JournalEntry }) {
  const { tenant } = useSession()
  if (approvalId === undefined || !isPathParameter(approvalId)) return null
  return (
    <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link text-dense print:hidden">
      {t.openRequest}
    </Link>
  )
}

/** The time to the second, because several entries of an execution share a minute. */
function Clock({ at }: { at: string }) {
  const zone = useContext(TimeZoneContext)
  const date = new Date(at)
  const clock = dateFormat(language.dates, { timeStyle: 'medium', timeZone: zone }).format(date)
  return (
    <time dateTime={at} title={formatSeconds(date, zone)} className="whitespace-nowrap">
      <span>
        {clock} {zoneName(zone, date)}
      </span>
    </time>
  )
}
