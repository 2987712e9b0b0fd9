/** What a process knows about an object is not kept for longer, nor for more jobs that wait. */
const keptMs = 10_000
const most = 1000

/**
 * How this process would run jobs that it has enqueued and that wait in the queue, because it knows their objects. Another process may get
 * them, and then nothing is missing: each job can be run from the tables.
 */
export function ownJobs() {
  // The oldest first.
  const kept = new Map<string, { run: () => Promise<void>; until: number }>()
  const forgetOld = () => {
    const now = performance.now()
    for (const [id, { until }] of kept) {
      if (until > now) return
      kept.delete(id)
    }
  }
  return {
    /** Does nothing if too many are kept: those that are run first are the oldest. */
    keep(id: string, run: () => Promise<void>): void {
      forgetOld()
      if (kept.size < most) kept.set(id, { run, until: performance.now() + keptMs })
    },
    /** Once. */
    take(id: string): (() => Promise<void>) | undefined {
      forgetOld()
      const found = kept.get(id)
      kept.delete(id)
      return found?.run
    },
  }
}
