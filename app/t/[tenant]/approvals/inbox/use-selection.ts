'use client'

import { useState } from 'react'
import type { Request } from './filter.ts'

export type Selection = {
  /** The selected requests that are in the list. */
  requests: Request[]
  has: (request: Request) => boolean
  set: (requests: readonly Request[], selected: boolean) => void
  clear: () => void
}

/** The selected requests. One that leaves the list, because it was decided or no longer matches, is no longer selected. */
export function useSelection(shown: readonly Request[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const has = ({ approvalId }: Request) => ids.has(approvalId)
  return {
    requests: shown.filter(has),
    has,
    set(requests, selected) {
      const next = new Set(shown.filter(has).map(({ approvalId }) => approvalId))
      for (const { approvalId } of requests)
        if (selected) next.add(approvalId)
        else next.delete(approvalId)
      setIds(next)
    },
    clear: () => setIds(new Set()),
  }
}
