'use client'

import { useApi } from '#components/api/api.tsx'
import { useQuery, useQueryClient } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import type { Execution, ExecutionEvent } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

/** While the socket is down, in milliseconds. */
const refreshMs = 1500

/** Returns one execution, kept current until it has ended. */
export function useExecution(id: string) {
  const trpc = useTRPC()
  const query = useQuery(trpc.executions.get.queryOptions({ id }, { staleTime: 0 }))
  useChanges(query.data === undefined || isLive(query.data.status) ? ['executions'] : [], refreshMs)
  return query
}

/** Returns its journal and fetches only new events. The revision of `execution` triggers the next fetch. */
export function useJournal(id: string, execution: Execution | undefined) {
  const { client } = useApi()
  const cache = useQueryClient()
  const queryKey = ['execution-journal', id, execution?.revision]
  return useQuery<ExecutionEvent[]>({
    queryKey,
    enabled: execution !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    placeholderData: (before) => before,
    async queryFn({ signal }) {
      const known = longest(cache.getQueriesData<ExecutionEvent[]>({ queryKey: ['execution-journal', id] }))
      const events = [...known]
      for (let more = true; more; ) {
        const page = await client.executions.getEvents.query({ id, afterSeq: events.at(-1)?.seq ?? 0 }, { signal })
        events.push(...page.items)
        more = page.nextCursor !== null
      }
      return events
    },
  })
}

const longest = (entries: [unknown, ExecutionEvent[] | undefined][]): ExecutionEvent[] =>
  entries.reduce<ExecutionEvent[]>((best, [, events = []]) => (events.length > best.length ? events : best), [])
