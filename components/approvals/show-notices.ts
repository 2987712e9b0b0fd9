import * as t from '#components/texts/notices/en.ts'
import { approvalPath, approvalsPath } from '#lib/paths.ts'
import type { ApprovalSummaries } from './waiting.ts'

/** A notice of the browser for each request, or one for many, so that a burst does not fill the screen. */
export function showNotices(fresh: ApprovalSummaries, tenant: string, open: (path: string) => void): void {
  const show = (title: string, tag: string, path: string) => {
    const notice = new Notification(title, { tag, body: t.decisionRequested })
    notice.onclick = () => {
      window.focus()
      notice.close()
      open(path)
    }
  }
  const title = t.newRequestsNeedYou({ fresh: fresh.length })
  if (fresh.length > 3) show(title, 'countersign-many', approvalsPath(tenant, { view: 'needs-me' }))
  else for (const request of fresh) show(request.title, request.approvalId, approvalPath(tenant, request.approvalId))
}
