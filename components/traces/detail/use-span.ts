'use client'

import { useEffect } from 'react'
import { useQuery } from '#components/api/query.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { useTRPC } from '#lib/trpc.ts'
import type { Reveal } from './use-reveal.ts'

/**
 * What a span did and carried, read when it is looked at and again when it has changed. What a grant shows in clear is a
 * query of its own that nothing keeps: once it is masked again, it is gone from memory.
 */
export function useSpan(traceId: string, { spanId, endedAt, status }: TraceSpan, reveal: Reveal | undefined) {
  const trpc = useTRPC()
  const masked = useQuery(trpc.traces.getSpan.queryOptions({ traceId, spanId }, { staleTime: 60_000 }))
  const clear = useQuery({
    ...trpc.traces.getSpan.queryOptions({ traceId, spanId, includeSensitiveData: true }, { staleTime: 0, gcTime: 0 }),
    enabled: reveal !== undefined,
    // Each reading is a record: never by itself, only because somebody looks.
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
