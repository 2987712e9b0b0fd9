'use client'

import { useCallback, useEffect, useState } from 'react'

/** The reader's unmask grant for this page. Reloading the page drops it; on the server it ends when it expires. */
export type Reveal = { grantId: string; until: number }

/** How long a tab may be hidden before its unmasked values are masked again, in milliseconds. */
const HIDDEN_MS = 60_000

/**
 * Whether the page shows masked values unmasked. This ends with the grant, on request, after the tab was hidden for a minute, and
 * before the page is printed. The state is local to this component, so no other tenant or page can reach it.
 */
export function useReveal(): [Reveal | undefined, (reveal: Reveal) => void, () => void] {
  const [reveal, setReveal] = useState<Reveal>()
  const mask = useCallback(() => setReveal(undefined), [])
  useEffect(() => {
    if (reveal === undefined) return
    const over = setTimeout(mask, Math.max(0, reveal.until - Date.now()))
    let hidden: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(hidden)
      if (document.visibilityState === 'hidden') hidden = setTimeout(mask, HIDDEN_MS)
    }
    document.addEventListener('visibilitychange', look)
    window.addEventListener('beforeprint', mask)
    look()
    return () => {
      clearTimeout(over)
      clearTimeout(hidden)
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('beforeprint', mask)
    }
  }, [reveal, mask])
  return [reveal, setReveal, mask]
}
