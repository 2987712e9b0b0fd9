import type { Log } from '#server/kernel/log.ts'
import { keepListening } from './listening.ts'

/** Wakes local readers when any process has committed. Only a hint: the tables are the source of truth. */
export type Listener = {
  /**
   * Calls `wake` after each notification on `channel` with the payload `topic` ('*' matches any payload and passes it
   * on), and once, without a payload, after each reconnection.
   */
  on(channel: Channel, topic: string, wake: (payload?: string) => void): () => void
  close(): Promise<void>
}

export const channels = [
  'trace',
  'audit',
  'approval',
  'execution',
  'member',
  'family',
  'stop',
  'seal',
  'notification',
  'tenant',
] as const
export type Channel = (typeof channels)[number]

/** One connection that listens on every channel and is reopened when it is lost. */
export function openListener(url: string, log: Log): Listener {
  const wakers = new Map<string, Set<(payload?: string) => void>>()
  const close = keepListening(url, channels, log, {
    onNotification: (message) => {
      const payload = message.payload ?? ''
      for (const topic of [payload, '*'])
        for (const wake of wakers.get(`${message.channel}:${topic}`) ?? []) wake(payload)
    },
    // Notifications missed while disconnected are covered by reading the tables again.
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
