import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '#lib/errors.ts'
import { mayFollow, type Topic, topicPermissions } from '#lib/rules/changes.ts'
import { type ChangeEvent, WatchChangesInput } from '#lib/schemas/changes.ts'
import { readPosition, writtenPosition } from '#server/audit/position.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { beginning, changesSince } from './changes-since.ts'
import { openSignals } from './signals.ts'

const heartbeatMs = 15_000
/** Reads of one stream are at least this far apart, however often the tenant commits. */
const paceMs = 250

/**
 * changes.stream: reports which objects of the tenant changed, by topic and id, without their content. Each read is one
 * transaction that checks the membership again and continues in the audit log, so that a stream that resumes with
 * `lastEventId` misses nothing: it replays the log, and reports `id: null` ("anything of the topic may have changed") where
 * the log does not tell. A stream without `lastEventId` begins a few seconds in the past.
 */
export const stream = subscription({
  permission: 'any',
  input: WatchChangesInput,
  async *run({ tenant, principal, input, signal }): AsyncGenerator<[string, ChangeEvent]> {
    const topics = new Set(input.topics)
    authorizeTopics(topics, principal)
    const { database, listener } = runtime()
    const reader = { tenant, principal, topics }
    const signals = openSignals(listener, tenant.id, topics, signal)
    let position = input.lastEventId === undefined ? undefined : readPosition(input.lastEventId)
    let begun = false
    try {
      while (!signal.aborted) {
        const pace = delay(paceMs, undefined, { signal }).catch(() => undefined)
        const lastSeen = position
        const batch = await database.inTenant(tenant.id, async (tx) => {
          if (begun && lastSeen !== undefined) return await changesSince(tx, reader, lastSeen, signals.take())
          const start = await beginning(tx, reader, lastSeen)
          return await changesSince(tx, reader, start.position, start.unlogged)
        })
        position = batch.position
        const revision = writtenPosition(position)
        for (const [index, change] of batch.changes.entries()) {
          // Until the last one has arrived, the whole batch is to be sent again.
          const isLast = index === batch.changes.length - 1
          const id = isLast ? revision : writtenPosition(batch.from)
          yield [id, { type: 'change', ...change, revision }]
        }
        if (!begun && batch.changes.length === 0) yield [revision, heartbeat()]
        begun = true
        await pace
        if ((await signals.next(heartbeatMs)) === 'timeout') yield [revision, heartbeat()]
      }
    } finally {
      signals.close()
    }
  },
})

const heartbeat = (): ChangeEvent => ({ type: 'heartbeat', at: new Date().toISOString() })

function authorizeTopics(topics: ReadonlySet<Topic>, { permissions }: Principal): void {
  for (const topic of topics) {
    const [permission] = topicPermissions[topic]
    if (!mayFollow(topic, (one) => permissions.has(one)))
      throw new ApiError('forbidden', `The topic ${topic} needs the permission ${permission}.`, {
        details: { permission },
      })
  }
}
