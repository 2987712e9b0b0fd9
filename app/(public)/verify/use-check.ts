import { useEffect, useRef, useState } from 'react'
import type { BundleCheck, BundleReport } from '#lib/verify-bundle.ts'
import type { FromWorker } from './messages.ts'

export type Checking = {
  name: string
  /** The share of the bytes of its files that has been read, from 0 to 1. */
  share: number
  checks: BundleCheck[]
  report: BundleReport | undefined
  failed: string | undefined
}

/** Checks an archive in a worker, so that the page stays responsive. Choosing another file stops the previous check. */
export function useCheck(): { checking: Checking | undefined; check(file: File): void } {
  const [checking, setChecking] = useState<Checking>()
  const worker = useRef<Worker>(undefined)
  useEffect(() => () => worker.current?.terminate(), [])
  function check(file: File) {
    worker.current?.terminate()
    setChecking({ name: file.name, share: 0, checks: [], report: undefined, failed: undefined })
    const update = (change: (before: Checking) => Checking) => setChecking((before) => before && change(before))
    const started = new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' })
    worker.current = started
    started.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ('share' in data) update((before) => ({ ...before, share: data.share }))
      else if ('check' in data) update((before) => ({ ...before, checks: [...before.checks, data.check] }))
      else if ('report' in data) update((before) => ({ ...before, report: data.report }))
      else update((before) => ({ ...before, failed: data.failed }))
    }
    started.onerror = () => update((before) => ({ ...before, failed: 'The check could not be started.' }))
    started.postMessage(file)
  }
  return { checking, check }
}
