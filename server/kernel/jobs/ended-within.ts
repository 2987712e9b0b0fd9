import { setTimeout } from 'node:timers/promises'

/** Resolves when `work` has ended, or after `ms`. Rejects if the work fails before that. */
export async function endedWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const cut = new AbortController()
  try {
    await Promise.race([work, setTimeout(ms, undefined, { signal: cut.signal }).catch(() => undefined)])
  } finally {
    cut.abort()
  }
}
