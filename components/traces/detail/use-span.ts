'use client'

import { useEffect } from 'react'
import { useQuery } from '#components/api/query.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { useTRPC } from '#lib/trpc.ts'
import type { Reveal } from './use-reveal.ts'

/**
 * The details of a span, loaded when it is selected and again when it has changed. Values that a grant unmasks are a
 * separate query without a cache: they are removed from memory once they are masked again.
 */
export function useSpan(traceId: string, { spanId, endedAt, status }: TraceSpan, reveal: Reveal | undefined) {
  const trpc = useTRPC()
  const masked = useQuery(trpc.traces.getSpan.queryOptions({ traceId, spanId }, { staleTime: 60_000 }))
  const clear = useQuery({
    ...trpc.traces.getSpan.queryOptions({ traceId, spanId, includeSensitiveData: true }, { staleTime: 0, gcTime: 0 }),
    enabled: reveal !== undefined,
    // Each read is recorded in the audit log, so it happens only when a person opens the span.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  })
  const { refetch } = masked
  const known = masked.data?.span
  const changed = known !== undefined && ((known.endedAt === null) !== (endedAt === null) || known.status !== status)
  useEffect(() => {
    if (changed) void refetch()
  }, [changed, refetch])
  return { masked, clear: reveal === undefined ? undefined : clear }
}
