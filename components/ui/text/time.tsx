'use client'

import { createContext, useContext } from 'react'
import { useNow } from './now.ts'
import { formatAbsolute, formatClock, formatRelative, formatSeconds, isSameDay } from './time-format.ts'

/** The IANA zone in which times are shown. */
export const TimeZoneContext = createContext('UTC')

type TimeProps = {
  /** ISO 8601 with zone, as on the wire. */
  at: string
  /** `both`: date, clock, zone and distance from now. `clock` has the date, too, unless it is today. `relative` keeps the full time in its title; `seconds` is absolute, to the second. */
  show?: 'both' | 'absolute' | 'clock' | 'relative' | 'seconds'
}

/** A moment in the reader's zone, which is always part of the text. */
export function Time({ at, show = 'both' }: TimeProps) {
  const zone = useContext(TimeZoneContext)
  const now = useNow()
  const date = new Date(at)
  const clock = show === 'clock' && (now === undefined || isSameDay(date, new Date(now), zone))
  const format = clock ? formatClock : show === 'seconds' ? formatSeconds : formatAbsolute
  const absolute = format(date, zone)
  const relative = now === undefined ? undefined : formatRelative(date, now)
  if (show === 'relative') {
    return (
      <time dateTime={at} title={absolute} className="whitespace-nowrap">
        {relative ?? absolute}
      </time>
    )
  }
  return (
    <time dateTime={at}>
      <span className="whitespace-nowrap">{absolute}</span>
      {show === 'both' && relative !== undefined && <span className="whitespace-nowrap text-ink-2"> ({relative})</span>}
    </time>
  )
}
