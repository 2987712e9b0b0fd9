'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isOver } from '#components/evidence/export-status.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { pollInterval } from './poll-interval.ts'

const defaultTimeoutMs = 300_000

/** One export, looked at until it is over; after the server's `pollTimeoutMs` the looking pauses until `resume`. */
export function useExport(exportId: string) {
  const { restFetch } = useApi()
  const [lookingSince, setLookingSince] = useState(Date.now)
  const [paused, setPaused] = useState(false)
  const query = useQuery({
    queryKey: ['evidence-export', exportId],
    queryFn: ({ signal }) => restFetch<ExportJob>(`/v1/evidence/factory/jobs/${exportId}`, { signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data === undefined || isOver(data.status) || paused ? false : pollInterval(dataUpdateCount),
  })
  const over = query.data !== undefined && isOver(query.data.status)
  const timeoutMs = query.data?.pollTimeoutMs ?? defaultTimeoutMs
  useEffect(() => {
    if (over) return
    const timer = setTimeout(() => setPaused(true), lookingSince + timeoutMs - Date.now())
    return () => clearTimeout(timer)
  }, [over, lookingSince, timeoutMs])
  return {
    ...query,
    paused: paused && !over,
    resume() {
      setPaused(false)
      setLookingSince(Date.now())
      void query.refetch()
    },
  }
}

/** What the page reads of manifest.json. */
export type Manifest = {
  files: { path: string; sha256: string; bytes: number; mediaType: string; records?: number }[]
  days: { date: string; size: number; root: string; open: boolean }[]
  signer: { keyId: string; fingerprint: string }
  sealedAt: string
}

export function useManifest(exportId: string, enabled: boolean) {
  const { restFetch } = useApi()
  return useQuery({
    queryKey: ['evidence-manifest', exportId],
    queryFn: ({ signal }) => restFetch<Manifest>(`/v1/evidence/factory/jobs/${exportId}/manifest`, { signal }),
    // It is sealed: it never changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  })
}
