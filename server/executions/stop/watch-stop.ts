import { findStopRequest } from '#server/executions/state/store.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A call that is nearly done may tell what it did: better known than cut off. */
const graceMs = 1000

export type StopWatch = {
  /** Aborts a moment after the stop of the execution was asked for, on whatever node. */
  signal: AbortSignal
  close(): void
}

/** Listens before the first turn is taken, so that no stop falls between a turn and the call that it leads to. */
export function watchStop(tenantId: string, id: string): StopWatch {
  const { database, listener, log } = runtime()
  const controller = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const look = async () => {
    const request = await database.inTenant(tenantId, (tx) => findStopRequest(tx, tenantId, id))
    if (request?.stopRequestedAt != null) grace ??= setTimeout(() => controller.abort(), graceMs)
  }
  const off = listener.on('stop', id, () => {
    // Without an answer the verdict's job decides.
    look().catch((error: unknown) => log.warn({ err: error, executionId: id }, 'a stop could not be looked up'))
  })
  return {
    signal: controller.signal,
    close() {
      off()
      clearTimeout(grace)
    },
  }
}
