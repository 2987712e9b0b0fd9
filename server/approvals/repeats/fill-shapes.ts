import { listTenantIds } from '#server/kernel/keys/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { fillShapes } from './history-store.ts'

/** Requests per transaction. */
const lot = 100
const intervalMs = 60_000

type Stop = { readonly stopped: boolean }

/**
 * Gives requests of earlier versions the digests by which a history finds them, at once and every minute: a process of an
 * earlier version may still make some. Several processes at once do no harm.
 */
export function startFillingShapes(): { close(): Promise<void> } {
  const { database, log } = runtime()
  const stop = { stopped: false }
  let round: Promise<void> | undefined
  const run = async () => {
    for (const { id } of await database.inDirectory(listTenantIds)) await fillShapesOf(id, stop)
  }
  const next = () => {
    round ??= run()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'older approvals were not made findable; the next round continues'),
      )
      .finally(() => {
        round = undefined
      })
  }
  next()
  const timer = setInterval(next, intervalMs)
  return {
    async close() {
      stop.stopped = true
      clearInterval(timer)
      await round
    },
  }
}

/** One round for a tenant. */
export async function fillShapesOf(tenantId: string, stop: Stop = { stopped: false }): Promise<void> {
  let after: string | undefined
  do {
    if (stop.stopped) return
    const from: string | undefined = after
    after = await runtime().database.inTenant(tenantId, (tx) => fillShapes(tx, tenantId, from, lot))
  } while (after !== undefined)
}
