import { AsyncResource } from 'node:async_hooks'
import { newId } from '#server/kernel/ids.ts'
import type { Log } from '#server/kernel/log.ts'
import { applicationName } from './application-name.ts'
import type { Notice } from './closing.ts'
import { keepListening } from './listening/keep-listening.ts'
import { register, unregister, watchRegistrations, watchTransactions } from './listening/registration-store.ts'

/** Wakes local readers when any process has committed. Only a hint: the tables are the source of truth. */
export type Listener = {
  /**
   * Calls `wake` after each notification on `channel` with the payload `topic` ('*' matches any payload and passes it
   * on), and once, without a payload, after each reconnection.
   */
  on(channel: Channel, topic: string, wake: (payload?: string) => void): () => void
  close(): Promise<void>
}

/** The transactions of this process inform its own readers. */
export type OwnTransactions = {
  /** The name under which they find out whether others listen. Undefined while a process may listen without being registered. */
  processId(): string | undefined
  /** Wakes the readers of this process, soon. */
  deliver(notices: readonly Notice[]): void
  /** The connection's notifications reach no reader here: they are those of `deliver`. */
  adopt(processId: number): void
  /** Called when such a connection was closed. */
  forget(processId: number): void
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
  'job',
  'canceled_call',
] as const
export type Channel = (typeof channels)[number]

/** Triggers of the database notify on these, too. */
const byTriggers: ReadonlySet<string> = new Set<Channel>(['member', 'tenant'])

/**
 * One connection that listens on every channel and is reopened when it is lost. `own`: what the transactions of this process on the same
 * database need (openDatabase), so that they notify other processes only.
 */
export function openListener(url: string, log: Log): Listener & { own: OwnTransactions } {
  // Of the connection: PostgreSQL may not know yet that an earlier one is lost, and still keep its lock.
  let id = newId()
  let before: ReadonlySet<string> = new Set()
  const seen = { unregisteredAt: Number.NEGATIVE_INFINITY }
  const wakers = new Map<string, Set<(payload?: string) => void>>()
  const connections = new Set<number>()
  let allRegistered = false
  let closed = false
  // Readers start work that does not belong to the request whose commit wakes them.
  const outside = new AsyncResource('listener')
  let waiting: Map<string, Notice> | undefined

  const wake = ({ channel, topic }: Notice) => {
    for (const key of [`${channel}:${topic}`, `${channel}:*`]) for (const one of wakers.get(key) ?? []) one(topic)
  }
  const wakeAll = () => {
    for (const set of wakers.values()) for (const one of set) one()
  }
  const deliverWaiting = () => {
    const notices = waiting?.values() ?? []
    waiting = undefined
    if (closed) return
    for (const notice of notices) wake(notice)
  }
  const close = keepListening(url, channels, log, {
    name: applicationName('listener'),
    onNotification: ({ processId, channel, payload = '' }) => {
      if (!connections.has(processId) || byTriggers.has(channel)) wake({ channel, topic: payload })
    },
    beforeListening: async (client) => {
      id = newId()
      before = await register(client, id)
    },
    // Notifications missed while disconnected are covered by reading the tables again.
    onListening: (client, signal) => {
      wakeAll()
      const failed = (error: unknown) => {
        if (!signal.aborted && !closed) log.warn({ err: error }, 'listening processes could not be checked')
      }
      watchTransactions(client, before, signal, wakeAll).catch((error: unknown) => {
        failed(error)
        wakeAll()
      })
      const found = (all: boolean) => {
        allRegistered = all && !signal.aborted
      }
      const lost = () => {
        found(false)
        // Another server may give the same numbers to the connections of other processes, such as after a failover.
        connections.clear()
      }
      signal.addEventListener('abort', lost, { once: true })
      // It handles its errors.
      void watchRegistrations(client, id, signal, { found, failed, seen })
    },
    beforeClosing: (client) => unregister(client, id),
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
    own: {
      processId: () => (allRegistered ? id : undefined),
      deliver(notices) {
        if (notices.length === 0) return
        if (waiting === undefined) {
          waiting = new Map()
          outside.runInAsyncScope(setImmediate, undefined, deliverWaiting)
        }
        for (const notice of notices) waiting.set(`${notice.channel} ${notice.topic}`, notice)
      },
      adopt: (processId) => void connections.add(processId),
      forget: (processId) => void connections.delete(processId),
    },
    close: async () => {
      closed = true
      await close()
    },
  }
}
