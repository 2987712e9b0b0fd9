'use client'

import { PolicyChanges } from '#components/agents/policy-changes.tsx'
import { useQueries } from '#components/api/query.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Release = Answers['releases']['list']['items'][number]

/** At most this many releases are requested, one query each. An agent runs in few environments. */
const shownReleases = 10

/** Shows for each active release how the current policies differ from those that the release was approved with. */
export function ChangedPolicies({ releases }: { releases: Release[] }) {
  const trpc = useTRPC()
  const active = releases.filter(({ status }) => status === 'active').slice(0, shownReleases)
  const answers = useQueries({ queries: active.map(({ id }) => trpc.releases.get.queryOptions({ id })) })
  return answers.map(({ data }) => {
    if (data === undefined || data.policyChanges === null || data.policyChanges.length === 0) return null
    const about = t.versionIn({ version: data.version, environment: data.environment })
    return (
      <div key={data.id} className="flex flex-col gap-2">
        <Banner tone="warn" urgency="none">
          {t.sinceWasProposedIts({ about, shown: shownText })}
        </Banner>
        <PolicyChanges changes={data.policyChanges} of={about} />
      </div>
    )
  })
}
