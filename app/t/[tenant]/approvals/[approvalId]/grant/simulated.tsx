'use client'

import Link from 'next/link'
import { useDeferredValue, useEffect } from 'react'
import { useQuery } from '#components/api/query.ts'
import { failureText } from '#components/session/failure-text.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-grant/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import { type Answers, toFailure, useTRPC } from '#lib/trpc.ts'
import { pastText } from './past-text.ts'
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
    <section aria-label={t.whatItWouldHave} aria-live="polite" className="flex flex-col gap-2">
      {error !== null && asked !== undefined ? (
        <Banner tone="hold">{failureText(toFailure(error))}</Banner>
      ) : typeof data?.problem === 'string' && asked !== undefined ? (
        <Banner tone="hold">{data.problem}</Banner>
      ) : simulation === undefined ? (
        <p className="text-ink-2">{t.fillIn}</p>
      ) : (
        <Past simulation={simulation} />
      )}
    </section>
  )
}

function Past({ simulation }: { simulation: Result }) {
  const { tenant } = useSession()
  if (simulation.rejected === 0) return <p>{pastText(simulation)}</p>
  return (
    <Banner tone="danger">
      {pastText(simulation)} {t.rejectedOnes}
      <ul>
        {simulation.refused.map((one) => (
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
