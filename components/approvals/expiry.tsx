'use client'

import { useContext } from 'react'
import * as t from '#components/texts/requests/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { Tag } from '#components/ui/status/tag.tsx'
import { useNow } from '#components/ui/text/now.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatAbsolute, formatClock, formatRelative } from '#components/ui/text/time-format.ts'

const hour = 3_600_000
const day = 24 * hour

/** When a request expires: "Expires in 42 min, 14:20 UTC". Warns in the last hour. */
export function ExpiryTag({ at, stopped }: { at: string; stopped: boolean }) {
  const zone = useContext(TimeZoneContext)
  const now = useNow()
  const date = new Date(at)
  if (stopped) return <Tag icon={<Clock />}>{t.clockStopped}</Tag>
  const left = now === undefined ? undefined : date.getTime() - now
  // A clock alone would be ambiguous for another day.
  const moment = left !== undefined && left < day ? formatClock(date, zone) : formatAbsolute(date, zone)
  const printed = { moment: formatAbsolute(date, zone) }
  const over = left !== undefined && left <= 0
  return (
    <Tag tone={over ? 'neutral' : left !== undefined && left <= hour ? 'warn' : 'neutral'} icon={<Clock />}>
      <time dateTime={at} title={over ? t.expiredAt(printed) : t.expiresAt(printed)}>
        <span>
          {over
            ? t.expiredAt({ moment })
            : now === undefined
              ? t.expiresAt({ moment })
              : t.expiresIn({ left: formatRelative(date, now), moment })}
        </span>
      </time>
    </Tag>
  )
}

function Clock() {
  return (
    <Glyph>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 5v3l2 1.25" />
    </Glyph>
  )
}
