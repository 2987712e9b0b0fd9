'use client'

import { useSyncExternalStore } from 'react'

/** As --breakpoint-rail of globals.css. */
const narrowerThanRail = '(max-width: 56.2499rem)'

/** Whether the window is as narrow as a phone's, where details open over the page. False in prerendered HTML. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow, () => false)

const isNarrow = (): boolean => window.matchMedia(narrowerThanRail).matches

function subscribe(listener: () => void): () => void {
  const media = window.matchMedia(narrowerThanRail)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
