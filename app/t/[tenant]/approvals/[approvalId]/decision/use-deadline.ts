'use client'

import { useEffect, useLayoutEffect, useState } from 'react'
import type { Machine } from './decision-state.ts'

/** The longest delay that a browser's timer supports, in milliseconds. */
const longestDelay = 2 ** 31 - 1

/** Returns the current time in epoch milliseconds, updated when the request expires and each second during a countdown. */
export function useDeadline({ shown, phase }: Machine): number {
  const [now, setNow] = useState(() => Date.now())
  const approvableAt = shown?.reading?.approvableAt ?? null
  const reading = shown?.status === 'pending' && approvableAt !== null && now < Date.parse(approvableAt)
  const counting = reading || (phase.is === 'rate-limited' && now < phase.until)
  const expiresAt = shown?.status === 'pending' ? Date.parse(shown.expiresAt) : undefined
  // Before it is shown: without an interval, the time is that of the last change.
  useLayoutEffect(() => {
    if (!counting) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [counting])
  useEffect(() => {
    setNow(Date.now())
    if (expiresAt === undefined || expiresAt <= Date.now()) return
    const delay = Math.min(expiresAt - Date.now(), longestDelay)
    const timer = setTimeout(() => setNow(Date.now()), delay)
    return () => clearTimeout(timer)
  }, [expiresAt])
  return now
}
