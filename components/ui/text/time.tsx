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
  const absolute = (show === 'seconds' ? formatSeconds : formatAbsolute)(date, zone)
  const relative = now === undefined ? undefined : formatRelative(date, now)
  const clock = show === 'clock' && (now === undefined || isSameDay(date, new Date(now), zone))
  const short = show === 'relative' ? relative : clock ? formatClock(date, zone) : undefined
  if (short !== undefined) {
    // Paper does not know when it is read: the title is printed in place of what is inside, see app/globals.css.
    return (
      <time dateTime={at} title={absolute} className="whitespace-nowrap">
        <span>{short}</span>
      </time>
    )
  }
  return (
    <time dateTime={at}>
      <span className="whitespace-nowrap">{absolute}</span>
      {show === 'both' && relative !== undefined && (
        <span className="whitespace-nowrap text-ink-2 print:hidden"> ({relative})</span>
      )}
    </time>
  )
}
