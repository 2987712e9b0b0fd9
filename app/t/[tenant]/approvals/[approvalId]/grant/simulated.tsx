'use client'

import Link from 'next/link'
import { useDeferredValue, useEffect } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import { type Answers, toFailure, useTRPC } from '#lib/trpc.ts'
import type { termsOf } from './terms.ts'

type Terms = ReturnType<typeof termsOf>
type Result = NonNullable<Answers['approvals']['previewGrant']['simulation']>

/** What the terms would have meant for the requests that people decided, or why they can't be proposed. */
export function Simulated({
  approvalId,
  terms,
  onResult,
}: {
  approvalId: string
  terms: Terms
  onResult: (valid: boolean) => void
}) {
  const trpc = useTRPC()
  const asked = useDeferredValue(terms)
  const { data, error } = useQuery(
    trpc.approvals.previewGrant.queryOptions(
      { approvalId, ...(asked !== undefined && { terms: asked }) },
      { enabled: asked !== undefined, retry: false },
    ),
  )
  const simulation = asked === undefined ? undefined : (data?.simulation ?? undefined)
  const valid = simulation !== undefined
  useEffect(() => onResult(valid), [valid, onResult])
  return (
    <div role="status" className="flex flex-col gap-2">
      {error !== null && asked !== undefined ? (
        <Banner tone="hold">{toFailure(error).message}</Banner>
      ) : simulation === undefined ? (
        <p className="text-ink-2">Fill in each limit to see what the grant would have meant.</p>
      ) : (
        <Past simulation={simulation} />
      )}
    </div>
  )
}

function Past({ simulation: { requests, matched, approved, rejected, refused } }: { simulation: Result }) {
  const { tenant } = useSession()
  const past = `Of the ${requests} requests for this action that people decided in the last 90 days, ${matched} would have run by it`
  if (matched === 0) return <p>{past}.</p>
  if (rejected === 0)
    return (
      <p>
        {past}. People approved {matched === 1 ? 'it' : `all ${matched}`}.
      </p>
    )
  return (
    <Banner tone="danger">
      {past}: people approved {approved} of them and <strong>rejected {rejected}</strong>.
      <ul>
        {refused.map((one) => (
          <li key={one.approvalId}>
            <Link href={approvalPath(tenant, one.approvalId)} prefetch={false} className="text-link">
              <ShownText>{one.title}</ShownText>
            </Link>
            , <Time at={one.requestedAt} />
          </li>
        ))}
      </ul>
    </Banner>
  )
}
