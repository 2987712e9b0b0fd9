'use client'

import { useCallback, useEffect, useState } from 'react'

/** A grant of the reader's own, of this page: reading the page again ends it here, the server ends it at its time. */
export type Reveal = { grantId: string; until: number }

/** How long a tab may be out of sight before what it shows in clear is masked again, in milliseconds. */
const HIDDEN_MS = 60_000

/**
 * Whether the page shows masked values in clear. It ends with the grant, by hand, when the tab was hidden for a minute, and
 * before the page is printed. It lives in this component alone: another tenant or another page never has it.
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
