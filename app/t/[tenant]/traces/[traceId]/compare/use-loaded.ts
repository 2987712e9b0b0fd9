'use client'

import { useMemo } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import * as t from '#components/texts/trace-compare/en.ts'
import { spanTree } from '#components/traces/model/span-tree.ts'
import { spansOfSkeleton } from '#components/traces/model/trace-span.ts'
import { useTraceTitle } from '#components/traces/trace-title.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import type { Side } from './align.ts'
import type { Compared } from './difference.ts'

/** While the socket is down, and a trace is open, in milliseconds. */
const refreshMs = 5_000

type Answer = Answers['traces']['getTrace']

/** A trace as the comparison needs it. */
export type Loaded = Side & Compared & { traceId: string; title: string; answer: Answer }

/** Loads one of the traces; an open one is loaded again as it grows. */
export function useLoaded(traceId: string) {
  const trpc = useTRPC()
  const query = useQuery(
    trpc.traces.getTrace.queryOptions({ traceId, view: 'comparison' }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const { data } = query
  useChanges(data !== undefined && data.trace.endedAt === null ? ['traces'] : [], refreshMs)
  const title = useTraceTitle(data?.trace)
  const read = useMemo(() => data && readAnswer(data), [data])
  const trace = useMemo(
    (): Loaded | undefined =>
      data && read && title !== undefined ? { ...read, traceId, title, answer: data } : undefined,
    [data, read, traceId, title],
  )
  return { traceId, query, title: title ?? t.trace, trace }
}

function readAnswer({ skeleton, contents }: Answer): (Side & Compared) | undefined {
  if (skeleton === undefined || contents === undefined) return undefined
  const spans = spansOfSkeleton(skeleton)
  const { input, output } = contents
  return { spans, tree: spanTree(spans), calls: new Map(contents.calls.map((call) => [call.row, call])), input, output }
}
