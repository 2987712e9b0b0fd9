'use client'

import { useSyncExternalStore } from 'react'

/** Milliseconds between two moments that `useNow` tells apart. */
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

/** The present in epoch milliseconds, renewed every ten seconds; undefined in prerendered HTML. One timer for all. */
export function useNow(): number | undefined {
  return useSyncExternalStore(subscribe, present, absent)
}

function present(): number {
  // Rounded up: what just happened is never in the future, and nobody counts on time that isn't left.
  return Math.ceil(Date.now() / STEP) * STEP
}

function absent(): undefined {
  return undefined
}
