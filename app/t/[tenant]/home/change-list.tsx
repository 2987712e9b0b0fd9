'use client'

import Link from 'next/link'
import { useContext } from 'react'
import { RAIL_ICONS } from '#components/layout/rail-icons.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { useNow as useClock } from '#components/ui/text/now.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatShortClock, formatShortDay, isSameDay } from '#components/ui/text/time-format.ts'
import { agentPath, auditPath, auditRecordPath, policyPath } from '#lib/paths.ts'
import type { Change } from '#lib/schemas/home/overview.ts'
import { AllLink } from './all-link.tsx'
import { changeWords } from './change-words.ts'
import { useHomeChanges } from './use-home.ts'

/** What changed since yesterday, in sentences: agents, releases, policies, access and rules. */
export function ChangeList() {
  const { tenant, can } = useSession()
  const { data, error, refetch } = useHomeChanges()
  return (
    <Section
      title="Changed since yesterday"
      aside={can('audit:read') && <AllLink href={auditPath(tenant)}>In the audit log</AllLink>}
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton label="Loading what changed…" rows={4} />
        ) : (
          <RequestFailed error={error} what="What changed" retry={() => void refetch()} />
        )
      ) : data.items.length === 0 ? (
        <p className="border-line border-y py-2 text-ink-2">
          {can('audit:read')
            ? 'Nothing changed: no agents, policies, members or rules.'
            : 'No agents, releases or policies changed.'}
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
  const { area, text } = changeWords(change)
  const href = hrefOf(tenant, change, area, can('audit:read'))
  const name = <ShownText>{change.name ?? ''}</ShownText>
  return (
    <li className="grid grid-cols-[3.25rem_1rem_minmax(0,1fr)] items-baseline gap-x-2.5 border-line border-b py-1.5">
      <When at={change.at} />
      <Glyph className="translate-y-0.5 text-ink-2">{RAIL_ICONS[area]}</Glyph>
      <p className="wrap-anywhere">
        {change.name !== null && (
          <>
            {href === undefined ? (
              <strong className="font-semibold">{name}</strong>
            ) : (
              <Link href={href} prefetch={false} className="text-link font-semibold">
                {name}
              </Link>
            )}{' '}
          </>
        )}
        {change.name === null && href !== undefined ? (
          <Link href={href} prefetch={false} className="text-link">
            <ShownText>{text}</ShownText>
          </Link>
        ) : (
          <ShownText>{text}</ShownText>
        )}
        {change.by !== null && (
          <span className="text-ink-2">
            , by <ShownText>{change.by}</ShownText>
          </span>
        )}
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
    <time dateTime={at} className="whitespace-nowrap text-dense text-ink-2">
      {today ? formatShortClock(date, zone) : formatShortDay(date, zone)}
    </time>
  )
}
