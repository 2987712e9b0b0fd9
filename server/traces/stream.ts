import { setTimeout as delay } from 'node:timers/promises'
import { notFound } from '#lib/errors.ts'
import { type PartialOutput, StreamInput, type TraceEvent } from '#lib/schemas/traces.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { openWakes } from '#server/kernel/db/wakes.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { shownSpans } from '#server/traces/encryption/shown-spans.ts'
import { listAnswering } from '#server/traces/partial/partial-store.ts'
import { endOf, type Partial, readPartials } from '#server/traces/partial/partial-text.ts'
import { findTrace, findTraceOfExecution, isTraceOver, listChanges } from './store.ts'
import { spanView } from './view.ts'

const heartbeatMs = 15_000
const changesPerRead = 100
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
    let day: string | undefined
    // Spans in which a model may be answering. While the set is empty, partial texts are not queried. Undefined: not read yet.
    let answering: Set<string> | undefined
    const wakes = openWakes(listener, 'trace', topicOf(tenant.id, traceId), signal)
    let last = Number(input.lastEventId ?? 0)
    const fresh = freshPartials()
    try {
      while (!signal.aborted) {
        const { changes, partials, over } = await database.inTenant(tenant.id, async (tx) => {
          // Read before the changes: those of a trace that is over are complete.
          const over = await isTraceOver(tx, tenant.id, traceId, input.executionId)
          // The trace of an execution may begin later; its day never changes.
          if (day === undefined) {
            const trace = await findTrace(tx, tenant.id, traceId)
            if (trace === undefined) return { changes: [], partials: [], over }
            day = trace.day
          }
          const key = { tenantId: tenant.id, traceId, day }
          answering ??= new Set(await listAnswering(tx, key))
          const changes = await shownSpans(tx, key, await listChanges(tx, key, last, changesPerRead))
          await requireBound(tx, tenant.id, 'span', [
            ...new Set(changes.map(({ spanId }) => `${key.day}/${traceId}/${spanId}`)),
          ])
          for (const { spanId, origin, kind, endedAt } of changes)
            if (endedAt !== null) answering.delete(spanId)
            else if (origin === 'execution' && kind === 'model') answering.add(spanId)
          return { changes, partials: answering.size > 0 ? await readPartials(tx, key) : [], over }
        })
        let missed = 0
        for (const { change, type, ...span } of changes) {
          if (!(await taken(buffered, signal))) {
            const head = await database.inTenant(tenant.id, (tx) => findTrace(tx, tenant.id, traceId))
            missed = (head?.changeCount ?? change) - last
            break
          }
          last = change
          yield [String(change), { type, span: spanView(span) }]
        }
        if (missed > 0) {
          last += missed
          answering = undefined
          yield [String(last), { type: 'gap', missed }]
          continue
        }
        if (changes.length === changesPerRead) continue
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
