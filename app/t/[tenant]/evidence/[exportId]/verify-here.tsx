'use client'

import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { adviceFor } from '#components/session/request-failed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Failure, failureOf, RequestError } from '#lib/failure.ts'
import { formatBytes } from '#lib/format.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { toFailure } from '#lib/trpc.ts'
import { collected, counted } from './counted.ts'
import { useArchive } from './use-archive.ts'

// Loaded when an archive is verified: the verifier's pages and words, and what changes a copy.
const Verified = lazy(() => import('./verified.tsx').then(({ Verified: found }) => ({ default: found })))

type State =
  | { is: 'idle' }
  | { is: 'loading'; received: number }
  | { is: 'loaded'; archive: Blob }
  | { is: 'failed'; failure: Failure }

/** Downloads the archive into this browser and verifies it here, with the verifier that is in every archive. */
export function VerifyHere({ job }: { job: ExportJob }) {
  const { name, blocked, fetchArchive } = useArchive(job)
  const [state, setState] = useState<State>({ is: 'idle' })
  const loading = useRef<AbortController>(undefined)
  useEffect(() => () => loading.current?.abort(), [])

  async function load() {
    const stop = new AbortController()
    loading.current = stop
    setState({ is: 'loading', received: 0 })
    try {
      const bytes = counted(await fetchArchive(stop.signal), (received) => {
        if (!stop.signal.aborted) setState({ is: 'loading', received })
      })
      const archive = await collected(bytes)
      if (!stop.signal.aborted) setState({ is: 'loaded', archive })
    } catch (error) {
      if (stop.signal.aborted) return
      const failure =
        error instanceof RequestError ? toFailure(error) : failureOf('network', 'The download was interrupted.')
      setState({ is: 'failed', failure })
    }
  }

  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[75ch] text-ink-2">
        This browser downloads the archive, hashes every file, and checks signatures, records and closed days itself.
        Nothing is uploaded. The audit log records the download.
      </p>
      {state.is !== 'loaded' && (
        <div>
          <Button
            onClick={() => void load()}
            disabledReason={blocked}
            busyLabel={state.is === 'loading' ? `Downloading (${formatBytes(state.received)} so far)…` : undefined}
          >
            Verify the archive here
          </Button>
        </div>
      )}
      {state.is === 'failed' && (
        <ErrorPanel
          title="The archive could not be downloaded."
          effect={`${state.failure.message} This doesn’t mean that it is invalid.`}
          advice={adviceFor(state.failure)}
          requestId={state.failure.requestId}
        />
      )}
      {state.is === 'loaded' && (
        <Suspense fallback={<Skeleton label="Loading the verifier…" rows={5} />}>
          <Verified archive={state.archive} name={name} />
        </Suspense>
      )}
    </div>
  )
}
