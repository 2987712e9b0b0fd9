import { eachTenant } from '#server/kernel/jobs/each-tenant.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { listServedTenantIds } from '#server/kernel/keys/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { fillShapesOf } from './repeats/fill-shapes.ts'
import { fillWordsOf } from './words/fill-words.ts'

const intervalMs = 60_000

/**
 * Gives requests that lack them the digests by which a history finds them, and the words of the search, at once and every minute:
 * requests of earlier versions, and those from which an erasure removed something. Several processes at once do no harm.
 */
export function startFilling(): { close(): Promise<void> } {
  const stop = { stopped: false }
  const failed = 'older approvals were not made findable; the next round continues'
  const fill = async ({ id }: { id: string }) => {
    await fillShapesOf(id, stop)
    await fillWordsOf(id, stop)
  }
  const rounds = repeat(
    () => eachTenant(listServedTenantIds, fill, { isStopped: () => stop.stopped, failed }),
    intervalMs,
    (error) => runtime().log.warn({ err: error }, failed),
  )
  return {
    async close() {
      stop.stopped = true
      await rounds.close()
    },
  }
}
