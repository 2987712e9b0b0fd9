'use client'

import { useState } from 'react'
import { useQueries } from '#components/api/query.ts'
import { titleOf as effectTitleOf } from '#components/executions/effect-title.tsx'
import { inParts } from '#components/lists/in-parts.ts'
import { useSession } from '#components/session/session-provider.tsx'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Trace = Pick<Answers['traces']['getTrace']['trace'], 'executionId' | 'agentName' | 'name'>

/**
 * What traces show: the effect of their execution, or else what its agent is called. An execution's trace is named like its manifest;
 * a trace of another program keeps its name. Titles that are known stay while a list changes and asks again.
 */
export const useTraceTitles = (traces: readonly Trace[]): ((trace: Trace) => string) => useTitles(traces).titleOf

/** The title of a trace; undefined until it is known, so that what is below it doesn't move when it comes. */
export function useTraceTitle(trace: Trace | undefined): string | undefined {
  const { titleOf, isLoading } = useTitles(trace === undefined ? [] : [trace])
  return trace === undefined || isLoading ? undefined : titleOf(trace)
}

function useTitles(traces: readonly Trace[]): { titleOf: (trace: Trace) => string; isLoading: boolean } {
  const trpc = useTRPC()
  const { can } = useSession()
  const [known] = useState(() => new Map<string, string>())
  const ids = [...new Set(traces.flatMap(({ executionId }) => executionId ?? []))]
  const answers = useQueries({
    queries: inParts(can('execution:read') ? ids : []).map((part) =>
      trpc.executions.list.queryOptions({ ids: part, limit: part.length }, { staleTime: 60_000 }),
    ),
  })
  for (const { data } of answers) for (const one of data?.items ?? []) known.set(one.id, effectTitleOf(one))
  return {
    titleOf: ({ executionId, agentName, name }) =>
      executionId === null ? name : (known.get(executionId) ?? agentName ?? name),
    // Not while a failed request is repeated: a trace can be read without its title.
    isLoading: answers.some(({ isLoading, failureCount }) => isLoading && failureCount === 0),
  }
}
