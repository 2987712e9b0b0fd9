import { useEffect, useRef, useState } from 'react'
import { collected, counted } from '#components/page/counted.ts'
import * as t from '#components/texts/evidence-export/en.ts'
import { type Failure, failureOf, RequestError } from '#lib/failure.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { toFailure } from '#lib/trpc.ts'
import { useArchive } from './use-archive.ts'

export type Loading =
  | { is: 'idle' }
  | { is: 'loading'; received: number }
  | { is: 'loaded'; archive: Blob }
  | { is: 'failed'; failure: Failure }

export type LoadedArchive = {
  state: Loading
  name: string
  /** Why the person may not read it. */
  blocked: string | undefined
  /** Downloads the archive into this browser, once. Undefined if that fails or the page is left. */
  load(): Promise<Blob | undefined>
}

/** The archive in this browser, which what verifies it and what reads its report share. The server records the download. */
export function useLoadedArchive(job: ExportJob): LoadedArchive {
  const { name, blocked, fetchArchive } = useArchive(job)
  const [state, setState] = useState<Loading>({ is: 'idle' })
  const loading = useRef<AbortController>(undefined)
  useEffect(() => () => loading.current?.abort(), [])

  async function load(): Promise<Blob | undefined> {
    if (state.is === 'loaded') return state.archive
    if (state.is === 'loading') return undefined
    const stop = new AbortController()
    loading.current = stop
    setState({ is: 'loading', received: 0 })
    try {
      const bytes = counted(
        await fetchArchive(stop.signal),
        (received) => {
          if (!stop.signal.aborted) setState({ is: 'loading', received })
        },
        (from) => fetchArchive(stop.signal, from),
      )
      const archive = await collected(bytes, 'application/zip')
      if (stop.signal.aborted) return undefined
      setState({ is: 'loaded', archive })
      return archive
    } catch (error) {
      if (stop.signal.aborted) return undefined
      const failure = error instanceof RequestError ? toFailure(error) : failureOf('network', t.downloadWasInterrupted)
      setState({ is: 'failed', failure })
      return undefined
    }
  }

  return { state, name, blocked, load }
}
