'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { approvalPath } from '#lib/paths.ts'

/** States that a change waits for the change approvers, and links to the request. */
export function Proposed({ what, approvalId }: { what: string; approvalId: string }) {
  const { tenant } = useSession()
  return (
    <Banner tone="hold">
      {what} It takes effect once a change approver other than you has approved it.{' '}
      <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
        Open the request
      </Link>
    </Banner>
  )
}
