'use client'

import { useEffect, useRef } from 'react'
import * as t from '#components/texts/notices/en.ts'
import { approvalPath, approvalsPath } from '#lib/paths.ts'
import { notices } from './notices.ts'
import type { ApprovalSummaries } from './waiting.ts'

/** Shows a notice for each request that is new since the page was opened, while the page is not in view. */
export function useNotices(items: ApprovalSummaries | undefined, tenant: string, open: (path: string) => void): void {
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (items === undefined) return
    const fresh = known.current === undefined ? [] : items.filter(({ approvalId }) => !known.current?.has(approvalId))
    known.current = new Set([...(known.current ?? []), ...items.map(({ approvalId }) => approvalId)])
    if (!notices.isOn() || document.visibilityState === 'visible') return
    // One for many, so that a burst does not fill the screen.
    if (fresh.length > 3)
      return show(
        t.newRequestsNeedYou({ fresh: fresh.length }),
        'countersign-many',
        approvalsPath(tenant, { view: 'needs-me' }),
      )
    for (const { approvalId, title } of fresh) show(title, approvalId, approvalPath(tenant, approvalId))

    function show(title: string, tag: string, path: string): void {
      const notice = new Notification(title, { tag, body: t.decisionRequested })
      notice.onclick = () => {
        window.focus()
        notice.close()
        open(path)
      }
    }
  }, [items, tenant, open])
}
