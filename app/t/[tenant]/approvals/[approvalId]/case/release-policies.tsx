'use client'

import { lazy, Suspense } from 'react'
import * as t from '#components/texts/approval-case/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'

const PoliciesNow = lazy(() => import('./policies-now.tsx').then((module) => ({ default: module.PoliciesNow })))

/** For a release: whether the policies that it was proposed with are still the ones in force. */
export function ReleasePolicies({ shown: { kind, subjectId, status } }: { shown: Approval }) {
  if (kind !== 'release') return null
  return (
    <CustodySection title={t.policiesNow}>
      <Suspense fallback={<Skeleton label={t.loadingReleasesPolicies} rows={2} />}>
        <PoliciesNow releaseId={subjectId} open={status === 'pending'} />
      </Suspense>
    </CustodySection>
  )
}
