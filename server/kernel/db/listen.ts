import pg from 'pg'
import type { Log } from '#server/kernel/log.ts'

/** Wakes local readers when another process (or this one) has committed. Only ever a hint: the tables are the truth. */
export type Listener = {
  /**
   * Calls `wake` after each notification on `channel` whose payload is `topic` ('*': whatever the payload, which it is
   * given), and once, without a payload, after each reconnection.
   */
  on(channel: Channel, topic: string, wake: (payload?: string) => void): () => void
  close(): Promise<void>
}

export const channels = ['trace', 'audit', 'approval', 'execution', 'member'] as const
export type Channel = (typeof channels)[number]

/** One connection that listens on every channel, reopened when it is lost. */
export function openListener(url: string, log: Log): Listener {
  const wakers = new Map<string, Set<(payload?: string) => void>>()
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const wakeAll = () => {
    for (const set of wakers.values()) for (const wake of set) wake()
  }
  const connect = async () => {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('notification', (message) => {
      const payload = message.payload ?? ''
      for (const topic of [payload, '*'])
        for (const wake of wakers.get(`${message.channel}:${topic}`) ?? []) wake(payload)
    })
    next.on('error', (error) => log.warn({ err: error }, 'the notification connection was lost'))
    // A client that never came up ends, too: its failure is told by the promise, and only once is it tried again.
    next.on('end', () => {
      if (client !== next) return
      client = undefined
      again(250)
    })
    await next.connect()
    try {
      for (const channel of channels) await next.query(`listen ${channel}`)
    } catch (error) {
      await next.end()
      throw error
    }
    if (closed) return await next.end()
    client = next
    // What was notified while nobody listened is found by reading the tables again.
    wakeAll()
  }
  const reconnect = () => {
    connect().catch((error: unknown) => {
      log.warn({ err: error }, 'the notification connection could not be opened')
      again(1000)
    })
  }
  const again = (delayMs: number) => {
    if (!closed) retry = setTimeout(reconnect, delayMs)
  }
  reconnect()

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
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
