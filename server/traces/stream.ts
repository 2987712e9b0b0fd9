import { setTimeout as delay } from 'node:timers/promises'
import { notFound } from '#lib/errors.ts'
import { type PartialOutput, StreamInput, type TraceEvent } from '#lib/schemas/traces.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { openWakes } from '#server/kernel/db/wakes.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { endOf, type Partial } from '#server/traces/partial/partial-text.ts'
import { type News, readNews } from './news.ts'
import { findTrace, findTraceOfExecution } from './store.ts'

const heartbeatMs = 15_000
/** The events that may wait for one reader. An event has at most about 100 KB, so they stay below 1 MB. */
const maxBufferedBytes = 256 * 1024
/** A reader that stalls for this long misses the events in between. */
const patienceMs = 3_000

/**
 * Streams starts and ends of spans as they are committed, and the partial answers of models, from the beginning or after
 * `lastEventId`, until the trace is over or the caller disconnects. An event's id is its number in the trace. The table is read
 * again each time; a notification only triggers that. A slow reader's events are not buffered: it receives a `gap` and continues
 * from there.
 */
export const stream = subscription({
  permission: 'trace:read',
  input: StreamInput,
  async check({ tenant, input }) {
    await followed(tenant.id, input)
  },
  async *run({ tenant, input, signal, buffered }): AsyncGenerator<[string, TraceEvent]> {
    const { database, listener } = runtime()
    const traceId = await followed(tenant.id, input)
    let known: Pick<News, 'day' | 'answering'> = { day: undefined, answering: undefined }
    const wakes = openWakes(listener, 'trace', topicOf(tenant.id, traceId), signal)
    let last = Number(input.lastEventId ?? 0)
    const fresh = freshPartials()
    try {
      while (!signal.aborted) {
        const { executionId } = input
        const position = { tenantId: tenant.id, traceId, executionId, after: last, ...known }
        const { day, answering, changes, more, partials, over } = await readNews(position)
        known = { day, answering }
        let missed = 0
        for (const { change, event } of changes) {
          if (!(await taken(buffered, signal))) {
            const head = await database.inTenant(tenant.id, (tx) => findTrace(tx, tenant.id, traceId))
            missed = (head?.changeCount ?? change) - last
            break
          }
          last = change
          yield [String(change), event]
        }
        if (missed > 0) {
          last += missed
          known = { day, answering: undefined }
          yield [String(last), { type: 'gap', missed }]
          continue
        }
        if (more) continue
        if (over) return
        // Each event contains the text since the last one, so a slow reader receives fewer and larger events.
        for (const partial of partials)
          if ((buffered?.() ?? 0) <= maxBufferedBytes) for (const event of fresh(partial)) yield [String(last), event]
        if ((await wakes.next(heartbeatMs)) === 'timeout')
          yield [String(last), { type: 'heartbeat', at: new Date().toISOString() }]
      }
    } finally {
      wakes.close()
    }
  },
})

/** Returns the part of a text that one reader has not received. Stores a position for each span with an answer. */
function freshPartials(): (answering: { spanId: string; partial: Partial }) => PartialOutput[] {
  const sent = new Map<string, number>()
  return ({ spanId, partial }) => {
    const event = { type: 'event', name: 'countersign.output.partial', spanId } as const
    const before = sent.get(spanId) ?? 0
    if ('masked' in partial) {
      sent.set(spanId, Number.POSITIVE_INFINITY)
      return before === Number.POSITIVE_INFINITY ? [] : [{ ...event, from: 0, masked: partial.masked }]
    }
    if (endOf(partial) <= before) return []
    sent.set(spanId, endOf(partial))
    const from = Math.max(partial.from, before)
    return [{ ...event, from, text: partial.text.slice(from - partial.from) }]
  }
}

/** Waits until the reader has read the sent events. False if it was slow, and should continue with the current state. */
async function taken(buffered: (() => number) | undefined, signal: AbortSignal): Promise<boolean> {
  if (buffered === undefined) return true
  const since = Date.now()
  while (buffered() > maxBufferedBytes && !signal.aborted) await delay(20)
  return Date.now() - since < patienceMs
}

/** Returns the trace to follow. The trace of an execution may begin later; an unknown trace or execution is 404. */
async function followed(
  tenantId: string,
  { traceId, executionId }: { traceId?: string | undefined; executionId?: string | undefined },
): Promise<string> {
  const found = await runtime().database.inTenant(tenantId, async (tx) => {
    if (executionId !== undefined) return await findTraceOfExecution(tx, tenantId, executionId)
    return traceId === undefined ? undefined : await findTrace(tx, tenantId, traceId)
  })
  if (found === undefined) throw notFound()
  return found.traceId
}
