'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'

/** Browsers refuse more than about 20 changes of the address a second, and a held arrow key makes 30. */
const URL_DELAY_MS = 200

/** The selected span's id, kept in `?span=` of the address a moment later. */
export function useSelectedSpan(): [string | undefined, (spanId: string | undefined) => void] {
  const inAddress = useSearchParams().get('span') ?? undefined
  const path = usePathname()
  const [selected, setSelected] = useState(inAddress)
  useEffect(() => {
    if (selected === inAddress) return
    const timer = setTimeout(() => {
      const search = new URLSearchParams(window.location.search)
      if (selected === undefined) search.delete('span')
      else search.set('span', selected)
      window.history.replaceState(null, '', search.size === 0 ? path : `${path}?${search}`)
    }, URL_DELAY_MS)
    return () => clearTimeout(timer)
  }, [selected, inAddress, path])
  return [selected, setSelected]
}
