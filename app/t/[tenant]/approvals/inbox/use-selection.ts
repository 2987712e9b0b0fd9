'use client'

import { useCallback, useState } from 'react'
import type { Request } from './filter.ts'

export type Selection = {
  /** The selected requests that are in the list. */
  requests: Request[]
  has: (request: Request) => boolean
  /** The same function at every rendering. */
  set: (requests: readonly Request[], selected: boolean) => void
  clear: () => void
}

/** The selected requests. One that leaves the list, because it was decided or no longer matches, is no longer selected. */
export function useSelection(shown: readonly Request[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const has = ({ approvalId }: Request) => ids.has(approvalId)
  const set = useCallback((requests: readonly Request[], selected: boolean) => {
    setIds((before) => {
      const next = new Set(before)
      for (const { approvalId } of requests)
        if (selected) next.add(approvalId)
        else next.delete(approvalId)
      return next
    })
  }, [])
  return { requests: shown.filter(has), has, set, clear: () => setIds(new Set()) }
}
