import { topicOf } from '#server/kernel/db/notify.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * Yields whenever any of these executions may have changed: first at once, then after each notification, after `every()`
 * milliseconds without one, and a last time when `signal` aborts.
 */
export async function* changesOf(
  tenantId: string,
  executionIds: readonly string[],
  signal: AbortSignal,
  every: () => number,
): AsyncGenerator<void> {
  let isWoken = false
  let resume: () => void = () => undefined
  const wake = () => {
    isWoken = true
    resume()
  }
  const offs = executionIds.map((id) => runtime().listener.on('execution', topicOf(tenantId, id), wake))
  signal.addEventListener('abort', wake)
  try {
    for (;;) {
      const isLast = signal.aborted
      isWoken = false
      yield
      if (isLast) return
      if (isWoken || signal.aborted) continue
      const woken = new Promise<void>((resolve) => {
        resume = resolve
      })
      const timer = setTimeout(wake, Math.max(0, every()))
      await woken
      clearTimeout(timer)
    }
  } finally {
    for (const off of offs) off()
    signal.removeEventListener('abort', wake)
  }
}
