'use client'

import { useMemo } from 'react'
import { keepPreviousData, useQueries } from '#components/api/query.ts'
import type { UsualRange } from '#lib/schemas/approvals/usual.ts'
import { useTRPC } from '#lib/trpc.ts'
import type { Request } from './filter.ts'

/** As many as one call takes. */
const perCall = 100
/** Decisions change what is usual only slowly. */
const staleMs = 5 * 60_000

/** What is usually approved for the actions of these requests, by request. The same map until an answer changes it. */
export function useUsual(requests: readonly Request[]): ReadonlyMap<string, UsualRange> {
  const trpc = useTRPC()
  const lots = useMemo(() => {
    const ids = requests.flatMap(({ approvalId, amount }) => (amount === null ? [] : [approvalId])).sort()
    return Array.from({ length: Math.ceil(ids.length / perCall) }, (_, at) =>
      ids.slice(at * perCall, (at + 1) * perCall),
    )
  }, [requests])
  return useQueries({
    queries: lots.map((approvalIds) => ({
      ...trpc.approvals.usualAmounts.queryOptions({ approvalIds }, { staleTime: staleMs }),
      placeholderData: keepPreviousData,
    })),
    combine: combined,
  })
}

/** A failed call leaves the column empty: the request itself says why when it is opened. */
const combined = (
  answers: readonly { data?: { items: readonly { approvalId: string; usual: UsualRange }[] } | undefined }[],
): ReadonlyMap<string, UsualRange> =>
  new Map(answers.flatMap(({ data }) => data?.items ?? []).map(({ approvalId, usual }) => [approvalId, usual]))
