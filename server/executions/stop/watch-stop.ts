import { findStopRequest } from '#server/executions/state/store.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Time for a call that is about to finish to return its result, since a known outcome is better than an aborted call. */
const graceMs = 1000

export type StopWatch = {
  /** Aborts `graceMs` after a stop of the execution was requested on any node. */
  signal: AbortSignal
  close(): void
}

/** Must be called before the first turn, so that no stop is missed between a turn and its call. */
export function watchStop(tenantId: string, id: string): StopWatch {
  const { database, listener, log } = runtime()
  const controller = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const look = async () => {
    const request = await database.readInTenant(tenantId, (tx) => findStopRequest(tx, tenantId, id))
    if (request?.stopRequestedAt != null) grace ??= setTimeout(() => controller.abort(), graceMs)
  }
  const off = listener.on('stop', id, () => {
    // If the lookup fails, the verdict's job ends the execution.
    look().catch((error: unknown) => log.warn({ err: error, executionId: id }, 'could not check for a stop request'))
  })
  return {
    signal: controller.signal,
    close() {
      off()
      clearTimeout(grace)
    },
  }
}
