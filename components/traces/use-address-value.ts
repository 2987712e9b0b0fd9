'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'

/** Browsers refuse more than about 20 changes of the address a second, and a held arrow key causes 30. */
const URL_DELAY_MS = 200

/** A value that the address stores as `?<key>=`, shortly after it was set. Undefined if absent. */
export function useAddressValue(key: string): [string | undefined, (value: string | undefined) => void] {
  const inAddress = useSearchParams().get(key) ?? undefined
  const path = usePathname()
  const [value, setValue] = useState(inAddress)
  useEffect(() => {
    if (value === inAddress) return
    const timer = setTimeout(() => {
      const search = new URLSearchParams(window.location.search)
      if (value === undefined) search.delete(key)
      else search.set(key, value)
      window.history.replaceState(null, '', search.size === 0 ? path : `${path}?${search}`)
    }, URL_DELAY_MS)
    return () => clearTimeout(timer)
  }, [value, inAddress, path, key])
  return [value, setValue]
}
