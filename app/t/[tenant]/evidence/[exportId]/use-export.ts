'use client'

import { useEffect, useState } from 'react'
import { useApi, useLive } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { isOver } from '#components/evidence/export-status.tsx'

const defaultTimeoutMs = 300_000
/** While the export is in progress, in milliseconds. */
const refreshMs = 2_000
/** Afterwards, while the socket is down. */
const overMs = 30_000

/** Returns one export, kept current until it ends. Without a socket it is polled for `pollTimeoutMs`, then again on `resume`. */
export function useExport(exportId: string) {
  const { rest } = useApi()
  const [lookingSince, setLookingSince] = useState(Date.now)
  const [late, setLate] = useState(false)
  const query = useQuery({
    ...rest.evidence.get.queryOptions({ exportId }),
    staleTime: 0,
    // The counts of the progress are not in the log, so the socket doesn't report them.
    refetchInterval: ({ state }) => (state.data === undefined || isOver(state.data.status) ? false : refreshMs),
  })
  const over = query.data !== undefined && isOver(query.data.status)
  const live = useLive()
  const paused = late && !live && !over
  // Afterwards its archive may be deleted, or contain what was erased.
  useChanges(paused ? [] : ['evidence'], over ? overMs : refreshMs)
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

export function useManifest(exportId: string, enabled: boolean) {
  const { rest } = useApi()
  return useQuery({
    ...rest.evidence.manifest.queryOptions({ exportId }),
    // A signed manifest never changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  })
}
