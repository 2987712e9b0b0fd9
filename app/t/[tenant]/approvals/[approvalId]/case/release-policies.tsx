'use client'

import * as t from '#components/texts/approval-case/en.ts'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'

const PoliciesNow = loadedLater(() => import('./policies-now.tsx').then((module) => module.PoliciesNow), {
  waiting: <Skeleton label={t.loadingReleasesPolicies} rows={2} />,
})

/** For a release: whether the policies that it was proposed with are still the ones in force. */
export function ReleasePolicies({ shown: { kind, subjectId, status } }: { shown: Approval }) {
  if (kind !== 'release') return null
  return (
    <CustodySection title={t.policiesNow}>
      <PoliciesNow releaseId={subjectId} open={status === 'pending'} />
    </CustodySection>
  )
}
