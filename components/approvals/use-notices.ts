'use client'

import { useEffect, useRef } from 'react'
import { areNoticesOn } from './notices.ts'
import type { ApprovalSummaries } from './waiting.ts'

/** Loaded for those who want notices, which few pages need. */
const load = () => import('./show-notices.ts')

/** Shows a notice for each request that is new since the page was opened, while the page is not in view. */
export function useNotices(items: ApprovalSummaries | undefined, tenant: string, open: (path: string) => void): void {
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (items === undefined) return
    const fresh = known.current === undefined ? [] : items.filter(({ approvalId }) => !known.current?.has(approvalId))
    known.current = new Set([...(known.current ?? []), ...items.map(({ approvalId }) => approvalId)])
    if (!areNoticesOn()) return
    const isSeen = document.visibilityState === 'visible'
    // Without a connection, no request is new. The next one loads the file again.
    load().then(
      ({ showNotices }) => !isSeen && showNotices(fresh, tenant, open),
      () => undefined,
    )
  }, [items, tenant, open])
}
