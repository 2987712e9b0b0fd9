'use client'

import Link from 'next/link'
import { useContext } from 'react'
import { shownText } from '#components/language/shown-text.tsx'
import { RAIL_ICONS } from '#components/layout/rail-icons.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { useNow as useClock } from '#components/ui/text/now.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatAbsolute, formatShortClock, formatShortDay, isSameDay } from '#components/ui/text/time-format.ts'
import { agentPath, auditPath, auditRecordPath, policyPath } from '#lib/paths.ts'
import type { Change } from '#lib/schemas/home/overview.ts'
import { AllLink } from './all-link.tsx'
import { areaOf, changeSentence } from './change-words.ts'
import { useHomeChanges } from './use-home.ts'

/** What changed since yesterday, in sentences: agents, releases, policies, access and rules. */
export function ChangeList() {
  const { tenant, can } = useSession()
  const { data, error, refetch } = useHomeChanges()
  return (
    <Section title={t.changed} aside={can('audit:read') && <AllLink href={auditPath(tenant)}>{t.inLog}</AllLink>}>
      {data === undefined ? (
        error === null ? (
          <Skeleton label={t.loadingChanges} rows={4} />
        ) : (
          <RequestFailed error={error} what={t.whatChanged} retry={() => void refetch()} />
        )
      ) : data.items.length === 0 ? (
        <p className="border-line border-y py-2 text-ink-2">
          {can('audit:read') ? t.nothingChanged : t.nothingChangedHere}
        </p>
      ) : (
        <ol className="border-line border-t">
          {data.items.map((change) => (
            <ChangeLine key={change.auditId} change={change} />
          ))}
        </ol>
      )}
    </Section>
  )
}

function ChangeLine({ change }: { change: Change }) {
  const { tenant, can } = useSession()
  const area = areaOf(change)
  const href = hrefOf(tenant, change, area, can('audit:read'))
  const sentence = changeSentence(change, (name) =>
    href === undefined ? (
      <strong className="font-semibold">{shownText(name)}</strong>
    ) : (
      <Link href={href} prefetch={false} className="text-link font-semibold">
        {shownText(name)}
      </Link>
    ),
  )
  return (
    <li className="grid grid-cols-[3.25rem_1rem_minmax(0,1fr)] items-baseline gap-x-2.5 border-line border-b py-1.5">
      <When at={change.at} />
      <Glyph className="translate-y-0.5 text-ink-2">{RAIL_ICONS[area]}</Glyph>
      <p className="wrap-anywhere">
        {change.name === null && href !== undefined ? (
          <Link href={href} prefetch={false} className="text-link">
            {sentence}
          </Link>
        ) : (
          sentence
        )}
        {change.by !== null && <span className="text-ink-2">{t.decidedBy({ by: change.by, shown: shownText })}</span>}
      </p>
    </li>
  )
}

/** The page of the changed object, or else the record, for those who may open it. */
function hrefOf(tenant: string, { objectId, auditId }: Change, area: string, mayReadLog: boolean): string | undefined {
  if (objectId !== null && area === 'agents') return agentPath(tenant, objectId)
  if (objectId !== null && area === 'policies') return policyPath(tenant, objectId)
  return mayReadLog ? auditRecordPath(tenant, auditId) : undefined
}

/** Today by the clock, otherwise by the day. */
function When({ at }: { at: string }) {
  const zone = useContext(TimeZoneContext)
  const now = useClock()
  const date = new Date(at)
  const today = now === undefined || isSameDay(date, new Date(now), zone)
  return (
    <time dateTime={at} title={formatAbsolute(date, zone)} className="whitespace-nowrap text-dense text-ink-2">
      <span>{today ? formatShortClock(date, zone) : formatShortDay(date, zone)}</span>
    </time>
  )
}
