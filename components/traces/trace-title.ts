'use client'

import { useState } from 'react'
import { useQueries } from '#components/api/query.ts'
import { titleOf } from '#components/executions/effect-title.tsx'
import { inParts } from '#components/lists/in-parts.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/traces/en.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Trace = Pick<Answers['traces']['getTrace']['trace'], 'executionId' | 'agentName' | 'name'>

/**
 * What traces show: the effect of their execution, or else what its agent is called. An execution's trace is named like its manifest;
 * a trace of another program keeps its name. Titles that are known stay while a list changes and asks again.
 */
export function useTraceTitles(traces: readonly Trace[]): (trace: Trace) => string {
  const trpc = useTRPC()
  const { can } = useSession()
  const [known] = useState(() => new Map<string, string>())
  const ids = [...new Set(traces.flatMap(({ executionId }) => executionId ?? []))]
  const answers = useQueries({
    queries: inParts(can('execution:read') ? ids : []).map((part) =>
      trpc.executions.list.queryOptions({ ids: part, limit: part.length }, { staleTime: 60_000 }),
    ),
  })
  for (const { data } of answers) for (const one of data?.items ?? []) known.set(one.id, titleOf(one))
  return ({ executionId, agentName, name }) =>
    executionId === null ? name : (known.get(executionId) ?? agentName ?? name)
}

/** The title of a trace that may not be known yet. */
export function useTraceTitle(trace: Trace | undefined): string {
  const titled = useTraceTitles(trace === undefined ? [] : [trace])
  return trace === undefined ? t.trace : titled(trace)
}
