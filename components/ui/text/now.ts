'use client'

import { useSyncExternalStore } from 'react'

/** Interval at which `useNow` updates, in milliseconds. */
const STEP = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const notify of listeners) notify()
  }, STEP)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Returns the current time in epoch milliseconds, updated every ten seconds; undefined in prerendered HTML. All callers share one timer. */
export function useNow(): number | undefined {
  return useSyncExternalStore(subscribe, present, absent)
}

function present(): number {
  // Rounded up, so that a recent event is never in the future and the remaining time is never overstated.
  return Math.ceil(Date.now() / STEP) * STEP
}

function absent(): undefined {
  return undefined
}
