'use client'

import { useMemo } from 'react'
import { useApi } from '#components/api/api.tsx'
import { keepPreviousData, useQuery } from '#components/api/query.ts'
import type { UsualRange } from '#lib/schemas/approvals/usual.ts'
import type { Request } from './filter.ts'

/** As many as one call takes. */
const perCall = 100
/** Decisions change what is usual only slowly. */
const staleMs = 5 * 60_000

/** By request. `awaited` until the first answer. */
export type Usual = { ranges: ReadonlyMap<string, UsualRange>; awaited: boolean }

const none: Usual['ranges'] = new Map()

/** What is usually approved for the actions of these requests; while the list changes, what was known before. */
export function useUsual(requests: readonly Request[]): Usual {
  const { client } = useApi()
  const ids = useMemo(
    () => requests.flatMap(({ approvalId, amount }) => (amount === null ? [] : [approvalId])).sort(),
    [requests],
  )
  // A failed call leaves the column empty: the request itself says why when it is opened.
  const { data: ranges = none, isLoading: awaited } = useQuery({
    queryKey: ['usual amounts', ids],
    async queryFn({ signal }) {
      const lots = Array.from({ length: Math.ceil(ids.length / perCall) }, (_, at) =>
        ids.slice(at * perCall, (at + 1) * perCall),
      )
      const answers = await Promise.all(
        lots.map((approvalIds) => client.approvals.usualAmounts.query({ approvalIds }, { signal })),
      )
      return new Map(answers.flatMap(({ items }) => items).map(({ approvalId, usual }) => [approvalId, usual]))
    },
    enabled: ids.length > 0,
    staleTime: staleMs,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => ({ ranges, awaited }), [ranges, awaited])
}
