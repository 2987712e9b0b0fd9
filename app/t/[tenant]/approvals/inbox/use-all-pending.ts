'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { useWhole } from '#components/lists/use-whole.ts'
import type { ApprovalsView } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'

/** How often the list is read while the socket is down, in milliseconds. */
const refreshMs = 15_000
const limit = 100
/** Filters, order and sums are about the whole list, so it is loaded as a whole, up to this many requests. */
export const mostLoaded = 1000

/** All pending requests of a view. `loading` also while the pages after the first one are read. */
export function useAllPending(view: Exclude<ApprovalsView, 'decided'>, { enabled = true } = {}) {
  const trpc = useTRPC()
  useChanges(enabled ? ['approvals'] : [], refreshMs)
  const pages = usePages(trpc.approvals.getPending, { view, limit }, { enabled })
  return useWhole(pages, mostLoaded)
}
