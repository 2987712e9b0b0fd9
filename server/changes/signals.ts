import type { Topic } from '#lib/rules/changes.ts'
import type { Listener } from '#server/kernel/db/listen.ts'
import { type Wakes, wakesOn } from '#server/kernel/db/wakes.ts'
import { type Change, unloggedTopics } from './topics.ts'

/** More ids than this in one topic are reported as "anything may have changed". */
const maxIds = 200

export type Signals = Wakes & {
  /** The changes of unlogged topics since the last call. */
  take(): Change[]
}

/** Everything that can mean a change in one tenant's topics. The log's records are read; the rest is collected here. */
export function openSignals(
  listener: Listener,
  tenantId: string,
  topics: ReadonlySet<Topic>,
  signal: AbortSignal,
): Signals {
  const collected = new Map<Topic, Set<string> | 'any'>()
  const add = (topic: Topic, id: string | undefined) => {
    const ids = collected.get(topic) ?? new Set<string>()
    if (id === undefined || ids === 'any' || ids.size >= maxIds) collected.set(topic, 'any')
    else collected.set(topic, ids.add(id))
  }
  const wakes = wakesOn(signal, (wake) => {
    const offs = [listener.on('audit', tenantId, wake)]
    const follow = (channel: 'execution' | 'trace', topic: Topic) => {
      if (!topics.has(topic)) return
      const off = listener.on(channel, '*', (payload) => {
        // Without a payload: the connection was lost in the meantime.
        if (payload !== undefined && !payload.startsWith(`${tenantId}/`)) return
        add(topic, payload?.slice(tenantId.length + 1))
        wake()
      })
      offs.push(off)
    }
    follow('execution', 'executions')
    follow('trace', 'traces')
    const followAny = (channel: 'notification' | 'seal', topic: Topic) => {
      if (!topics.has(topic)) return
      const off = listener.on(channel, tenantId, () => {
        add(topic, undefined)
        wake()
      })
      offs.push(off)
    }
    followAny('notification', 'notifications')
    followAny('seal', 'seals')
    return () => {
      for (const off of offs) off()
    }
  })
  return {
    ...wakes,
    take() {
      const changes = unloggedTopics.flatMap((topic): Change[] => {
        const ids = collected.get(topic)
        if (ids === undefined) return []
        return ids === 'any' ? [{ topic, id: null }] : [...ids].map((id) => ({ topic, id }))
      })
      collected.clear()
      return changes
    },
  }
}
