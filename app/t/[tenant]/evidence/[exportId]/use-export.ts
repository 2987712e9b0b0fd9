'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLive } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { isOver } from '#components/evidence/export-status.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'

const defaultTimeoutMs = 300_000
/** While the socket is down, in milliseconds. */
const refreshMs = 2_000

/** One export, current until it is over. Without a socket it is polled, until the server's `pollTimeoutMs`, then on `resume`. */
export function useExport(exportId: string) {
  const { restFetch } = useApi()
  const [lookingSince, setLookingSince] = useState(Date.now)
  const [late, setLate] = useState(false)
  const query = useQuery({
    queryKey: [['evidence', 'get'], { input: { exportId } }],
    queryFn: ({ signal }) => restFetch<ExportJob>(`/v1/evidence/factory/jobs/${exportId}`, { signal }),
    staleTime: 0,
  })
  const over = query.data !== undefined && isOver(query.data.status)
  const live = useLive()
  const paused = late && !live && !over
  useChanges(over || paused ? [] : ['evidence'], refreshMs)
  const timeoutMs = query.data?.pollTimeoutMs ?? defaultTimeoutMs
  useEffect(() => {
    if (over) return
    const timer = setTimeout(() => setLate(true), lookingSince + timeoutMs - Date.now())
    return () => clearTimeout(timer)
  }, [over, lookingSince, timeoutMs])
  return {
    ...query,
    paused,
    resume() {
      setLate(false)
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
    queryKey: [['evidence', 'manifest'], { input: { exportId } }],
    queryFn: ({ signal }) => restFetch<Manifest>(`/v1/evidence/factory/jobs/${exportId}/manifest`, { signal }),
    // It is sealed: it never changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  })
}
