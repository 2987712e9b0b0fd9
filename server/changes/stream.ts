import { ApiError } from '#lib/errors.ts'
import { mayFollow, type Topic, topicPermissions } from '#lib/rules/changes.ts'
import { type ChangeEvent, WatchChangesInput } from '#lib/schemas/changes.ts'
import { readPosition, writtenPosition } from '#server/audit/position.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { beginning, changesSince, nextChanges } from './changes-since.ts'
import { openSignals } from './signals.ts'

const heartbeatMs = 15_000

/**
 * changes.stream: reports which objects of the tenant changed, by topic and id, without their content. Each read is one
 * transaction that checks the membership again and continues in the audit log, so that a stream that resumes with
 * `lastEventId` misses nothing: it replays the log, and reports `id: null` ("anything of the topic may have changed") where
 * the log does not tell. The streams of a tenant read together. A stream without `lastEventId` begins a few seconds in the past.
 */
export const stream = subscription({
  permission: 'any',
  input: WatchChangesInput,
  async check({ principal, input }) {
    authorizeTopics(new Set(input.topics), principal)
  },
  async *run({ tenant, principal, input, signal }): AsyncGenerator<[string, ChangeEvent]> {
    const topics = new Set(input.topics)
    const { database, listener } = runtime()
    const reader = { tenant, principal, topics }
    const signals = openSignals(listener, tenant.id, topics, signal)
    let position = input.lastEventId === undefined ? undefined : readPosition(input.lastEventId)
    let begun = false
    try {
      while (!signal.aborted) {
        const lastSeen = position
        const batch =
          begun && lastSeen !== undefined
            ? await nextChanges(reader, lastSeen, signals.take)
            : await database.inTenant(tenant.id, async (tx) => {
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
