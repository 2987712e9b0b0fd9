'use client'

import { PolicyChanges } from '#components/agents/policy-changes.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-release/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useTRPC } from '#lib/trpc.ts'

/** While the socket is down, in milliseconds. */
const refreshMs = 15_000

/** Whether the policies that a release was proposed with are still the ones in force. */
export function PoliciesNow({ releaseId, open }: { releaseId: string; open: boolean }) {
  const { can } = useSession()
  const trpc = useTRPC()
  const allowed = can('release:read')
  // A changed binding changes the differences that the release reports.
  useChanges(open ? ['releases', 'policyBindings'] : [], refreshMs)
  const { data, error, refetch } = useQuery(trpc.releases.get.queryOptions({ id: releaseId }, { enabled: allowed }))
  if (!allowed) return <MissingPermission act={t.seeReleases} permission="release:read" />
  if (data === undefined)
    return error === null ? (
      <Skeleton label={t.loadingReleasesPolicies} rows={2} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theRelease}
        act={t.seeReleases}
        permission="release:read"
        retry={() => void refetch()}
      />
    )
  const { policyChanges, version, environment } = data
  if (policyChanges === null) return <p>{t.releaseHasEndedSo}</p>
  if (policyChanges.length === 0) return <p>{t.policiesInForceAre}</p>
  return (
    <>
      <Banner tone="warn" urgency="none">
        {t.policiesHaveChangedSince}
      </Banner>
      <PolicyChanges changes={policyChanges} of={t.versionIn({ version, environment })} />
    </>
  )
}
