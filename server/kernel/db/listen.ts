import type { Log } from '#server/kernel/log.ts'
import { keepListening } from './listening.ts'

/** Wakes local readers when another process (or this one) has committed. Only ever a hint: the tables are the truth. */
export type Listener = {
  /**
   * Calls `wake` after each notification on `channel` whose payload is `topic` ('*': whatever the payload, which it is
   * given), and once, without a payload, after each reconnection.
   */
  on(channel: Channel, topic: string, wake: (payload?: string) => void): () => void
  close(): Promise<void>
}

export const channels = ['trace', 'audit', 'approval', 'execution', 'member', 'stop', 'seal'] as const
export type Channel = (typeof channels)[number]

/** One connection that listens on every channel, reopened when it is lost. */
export function openListener(url: string, log: Log): Listener {
  const wakers = new Map<string, Set<(payload?: string) => void>>()
  const close = keepListening(url, channels, log, {
    onNotification: (message) => {
      const payload = message.payload ?? ''
      for (const topic of [payload, '*'])
        for (const wake of wakers.get(`${message.channel}:${topic}`) ?? []) wake(payload)
    },
    // What was notified while nobody listened is found by reading the tables again.
    onListening: () => {
      for (const set of wakers.values()) for (const wake of set) wake()
    },
  })

  return {
    on(channel, topic, wake) {
      const key = `${channel}:${topic}`
      const set = wakers.get(key) ?? new Set()
      wakers.set(key, set.add(wake))
      return () => {
        set.delete(wake)
        if (set.size === 0) wakers.delete(key)
      }
    },
    close,
  }
}
