import type { Channel, Listener } from './listen.ts'

export type Wakes = {
  /** Resolves after the next notification (or one since the last call), after `timeoutMs`, or when the signal aborts. */
  next(timeoutMs: number): Promise<'woken' | 'timeout' | 'aborted'>
  close(): void
}

/**
 * Notifications of one topic for a loop that reads the table and then waits. Open it before the first read, so that a
 * commit in between is not missed. Close it when the loop ends.
 */
export const openWakes = (listener: Listener, channel: Channel, topic: string, signal: AbortSignal): Wakes =>
  wakesOn(signal, (wake) => listener.on(channel, topic, wake))

/** The same for any source: `listen` is called with the callback, and returns a function that stops listening. */
export function wakesOn(signal: AbortSignal, listen: (wake: () => void) => () => void): Wakes {
  let pending = false
  let rouse: (() => void) | undefined
  const off = listen(() => {
    pending = true
    rouse?.()
  })
  const onAbort = () => rouse?.()
  signal.addEventListener('abort', onAbort)
  return {
    async next(timeoutMs) {
      if (!pending && !signal.aborted) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          rouse = resolve
          timer = setTimeout(resolve, timeoutMs)
        })
        clearTimeout(timer)
        rouse = undefined
      }
      if (signal.aborted) return 'aborted'
      const woken = pending
      pending = false
      return woken ? 'woken' : 'timeout'
    },
    close() {
      off()
      signal.removeEventListener('abort', onAbort)
    },
  }
}
