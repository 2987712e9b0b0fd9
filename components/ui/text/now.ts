'use client'

import { useSyncExternalStore } from 'react'
import { onPressEnd } from './press.ts'

/** Interval at which what is drawn is compared with the time, in milliseconds. */
const TICK = 1000
/** The step of `useNow`. */
const STEP = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
/** The time that was drawn last. */
let drawn = 0
/** While a pointer is pressed, that stays: "1 min ago" is wider than "just now", and would move what is below before the click. */
let held: { stop: () => void } | undefined

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(notify, TICK)
    window.addEventListener('pointerdown', hold, true)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    window.removeEventListener('pointerdown', hold, true)
    held?.stop()
    held = undefined
  }
}

function notify(): void {
  for (const listener of listeners) listener()
}

function hold(): void {
  held ??= {
    stop: onPressEnd(() => {
      held = undefined
      notify()
    }),
  }
}

/** Returns the current time in epoch milliseconds, updated every ten seconds; undefined in prerendered HTML. All callers share one timer. */
export const useNow = (): number | undefined => useMoment(present)

/** What `of` returns for the current time in epoch milliseconds, drawn again when that changes; undefined in prerendered HTML. */
export const useMoment = (of: (now: number) => number): number | undefined =>
  useSyncExternalStore(subscribe, () => of(moment()), absent)

function moment(): number {
  if (held === undefined) drawn = Date.now()
  return drawn
}

// Rounded up, so that a recent event is never in the future and the remaining time is never overstated.
const present = (now: number): number => Math.ceil(now / STEP) * STEP

function absent(): undefined {
  return undefined
}
