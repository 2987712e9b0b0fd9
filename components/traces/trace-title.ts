'use client'

import { useQuery } from '#components/api/query.ts'
import { titleOf } from '#components/executions/effect-title.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Trace = Answers['traces']['getTrace']['trace']

/**
 * What a trace shows: the effect of its execution, or else what its agent is called. An execution's trace is named like its
 * manifest; a trace of another program keeps its name.
 */
export function useTraceTitle(trace: Trace | undefined): string {
  const trpc = useTRPC()
  const { can } = useSession()
  const id = trace?.executionId ?? ''
  const { data } = useQuery(
    trpc.executions.get.queryOptions({ id }, { enabled: id !== '' && can('execution:read'), staleTime: 60_000 }),
  )
  if (trace === undefined) return 'Trace'
  if (data !== undefined) return titleOf(data)
  return trace.executionId === null ? trace.name : (trace.agentName ?? trace.name)
}
