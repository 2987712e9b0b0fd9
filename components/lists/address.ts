'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useLayoutEffect, useMemo, useSyncExternalStore } from 'react'

/** The last address that `replaceAddress` wrote. */
let written: string | undefined
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const tellAll = () => {
  for (const listener of listeners) listener()
}

const addressOf = (pathname: string, search: URLSearchParams) => `${pathname}?${search}`

/** Returns the current query of the address, not that of the last render, so that of two quick choices none is lost. */
export const addressSearch = (): URLSearchParams => new URLSearchParams(window.location.search)

/** Replaces the query of the address immediately. The framework's router would first wait for the server, whose page is the same. */
export function replaceAddress(path: string): void {
  window.history.replaceState(null, '', path)
  written = addressOf(window.location.pathname, addressSearch())
  tellAll()
}

/** Whether the address is still what was written here, and not what a link or the back button made of it. */
const isOurs = () => written === addressOf(window.location.pathname, addressSearch())

/**
 * The query of the address, at once after `replaceAddress`. The router reports a change a moment later, and several quick ones each by
 * itself: a control that followed the router would turn back in between.
 */
export function useAddressSearch(): URLSearchParams {
  const path = usePathname()
  const reported = useSearchParams().toString()
  const ours = useSyncExternalStore(
    subscribe,
    () => (isOurs() ? written : undefined),
    () => undefined,
  )
  // The router changes the address after it has rendered the page, without telling the store.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what changes.
  useLayoutEffect(tellAll, [path, reported])
  const isHere = ours?.startsWith(`${path}?`) === true
  const search = isHere ? ours.slice(path.length + 1) : reported
  return useMemo(() => new URLSearchParams(search), [search])
}
