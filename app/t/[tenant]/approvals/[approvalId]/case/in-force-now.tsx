'use client'

import { useQuery } from '#components/api/query.ts'
import { formatList } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-release/en.ts'
import { useTRPC } from '#lib/trpc.ts'
import { policiesInForce } from './policies-in-force.ts'

/** The policies that are enforced now where the release is to run; nothing while that is unknown, which another section explains. */
export function InForceNow({ releaseId }: { releaseId: string }) {
  const { can } = useSession()
  const trpc = useTRPC()
  const { data } = useQuery(trpc.releases.get.queryOptions({ id: releaseId }, { enabled: can('release:read') }))
  const policies = data && policiesInForce(data)
  if (policies === undefined) return null
  if (policies.length === 0) return <>{t.noneInForceNow}</>
  return <>{t.inForceNow({ policies: formatList(policies), shown: shownText })}</>
}
