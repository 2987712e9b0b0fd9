import { useEffect, useRef, useState } from 'react'
import * as t from '#components/texts/verify/en.ts'
import type { ArchiveLadder } from '#lib/verify/ladder.ts'
import type { About, Check, Report } from '#lib/verify/report.ts'
import type { FromWorker, ToWorker } from './messages.ts'

export type Checking<Given extends ToWorker = ToWorker> = Given & {
  /** The share of the bytes of its files that has been read, from 0 to 1. */
  share: number
  about: About | undefined
  checks: Check[]
  report: Report | undefined
  /** The path of one record to the signed root of its day; undefined until the report, and without proofs. */
  ladder: ArchiveLadder | undefined
  failed: string | undefined
}

/** Checks an archive in a worker, so that the page stays responsive. A new check stops the previous one. */
export function useCheck<Given extends ToWorker>(): {
  checking: Checking<Given> | undefined
  check(given: Given): void
} {
  const [checking, setChecking] = useState<Checking<Given>>()
  const worker = useRef<Worker>(undefined)
  useEffect(() => () => worker.current?.terminate(), [])
  function check(given: Given) {
    worker.current?.terminate()
    setChecking({
      ...given,
      share: 0,
      about: undefined,
      checks: [],
      report: undefined,
      ladder: undefined,
      failed: undefined,
    })
    const update = (change: (before: Checking<Given>) => Checking<Given>) =>
      setChecking((before) => before && change(before))
    const started = new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' })
    worker.current = started
    started.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ('share' in data) update((before) => ({ ...before, share: data.share }))
      else if ('about' in data) update((before) => ({ ...before, about: data.about }))
      else if ('check' in data) update((before) => ({ ...before, checks: [...before.checks, data.check] }))
      else if ('report' in data) update((before) => ({ ...before, ...data }))
      else update((before) => ({ ...before, failed: data.failed }))
    }
    started.onerror = () => update((before) => ({ ...before, failed: t.notStarted }))
    const { file, fingerprint, adjacent, authority, witness } = given
    const message: ToWorker = { file, fingerprint, adjacent, authority, witness }
    started.postMessage(message)
  }
  return { checking, check }
}
