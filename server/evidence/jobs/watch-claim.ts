import { setTimeout } from 'node:timers/promises'
import { type ClaimedExport, isSuperseded, Superseded } from './export-claim.ts'

const lookEveryMs = 500

/** Aborts `signal` with Superseded soon after the export was canceled or another worker has taken it over. */
export function watchClaim(run: ClaimedExport): { signal: AbortSignal; close(): Promise<void> } {
  const superseded = new AbortController()
  const closed = new AbortController()
  const look = async () => {
    for (;;) {
      await setTimeout(lookEveryMs, undefined, { signal: closed.signal })
      // The run itself notices that the database is gone.
      if (await isSuperseded(run).catch(() => false))
        return superseded.abort(new Superseded(`Export ${run.row.id} is no longer this run's.`))
    }
  }
  const looking = look().catch((error: unknown) => {
    if (!closed.signal.aborted) throw error
  })
  return {
    signal: superseded.signal,
    async close() {
      closed.abort()
      await looking
    },
  }
}
