'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/proposals/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { approvalPath } from '#lib/paths.ts'

/** States that a change waits for the change approvers, and links to the request. */
export function Proposed({ what, approvalId }: { what: string; approvalId: string }) {
  const { tenant } = useSession()
  return (
    <Banner tone="hold">
      {t.waitsForApproval({
        what,
        link: (content) => (
          <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
            {content}
          </Link>
        ),
      })}
    </Banner>
  )
}
