import type { TraceEvent } from '#lib/schemas/traces.ts'
import { knownEnds } from '#server/kernel/bound/adopted.ts'
import { requireFoundBound } from '#server/kernel/bound/check.ts'
import { checkedFrom } from '#server/kernel/bound/joined-store.ts'
import { sharedInTick } from '#server/kernel/db/listening/shared-in-tick.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { shownSpans } from '#server/traces/encryption/shown-spans.ts'
import { listAnswering } from '#server/traces/partial/partial-store.ts'
import { type Partial, readPartials } from '#server/traces/partial/partial-text.ts'
import { changesPerRead, findTrace, isTraceOver, listChanges } from './store.ts'
import { spanView } from './view.ts'

/** What a follower of a trace has: everything that the next news depend on. */
export type Position = {
  tenantId: string
  traceId: string
  executionId: string | undefined
  /** The trace's, undefined until it has begun. It never changes. */
  day: string | undefined
  /** The number of the last change. */
  after: number
  /** Spans in which a model may be answering: while there are none, partial texts are not read. Undefined: not known. */
  answering: ReadonlySet<string> | undefined
}

export type News = Pick<Position, 'day' | 'answering'> & {
  changes: { change: number; event: TraceEvent }[]
  /** There are more changes, and this has only the first. */
  more: boolean
  partials: { spanId: string; partial: Partial }[]
  /** Nothing is added to the trace any more. */
  over: boolean
}

/** Reads what came after a position. Followers who wait for the same share one read. */
export const readNews = (position: Position): Promise<News> => sharedInTick(keyOf(position), () => read(position))

const keyOf = ({ tenantId, traceId, executionId, day, after, answering }: Position): string =>
  JSON.stringify(['news', tenantId, traceId, executionId, day, after, answering && [...answering]])

async function read({ tenantId, traceId, executionId, after, ...known }: Position): Promise<News> {
  const { database } = runtime()
  const begun = known.day === undefined || known.answering === undefined ? await begin() : { ...known, over: false }
  if (begun.day === undefined) return { ...begun, changes: [], more: false, partials: [] }
  const key = { tenantId, traceId, day: begun.day }

  const ends = knownEnds(tenantId)
  // Whether it is over comes before the changes, which are complete then.
  const [over, rows] = await database.readInTenant(
    tenantId,
    (tx) => inOneWrite(tx, [() => isTraceOver(tx, tenantId, traceId, executionId), () => listChanges(tx, key, after)]),
    // For a known day, PostgreSQL would plan it each time, for longer than the rest takes.
    { plannedOnce: true },
  )
  const answering = new Set(begun.answering)
  for (const { spanId, origin, kind, endedAt } of rows)
    if (endedAt !== null) answering.delete(spanId)
    else if (origin === 'execution' && kind === 'model') answering.add(spanId)

  // Usually without a statement: keys and what has been compared are remembered.
  const { changes, partials } = await database.inTenant(tenantId, async (tx) => {
    await requireFoundBound(tx, tenantId, ends, { span: checkedFrom(rows.map(({ bound }) => bound)) })
    const shown = await shownSpans(tx, key, rows)
    return {
      changes: shown.map(({ change, type, bound: _bound, ...span }) => ({
        change,
        event: { type, span: spanView(span) },
      })),
      partials: answering.size > 0 ? await readPartials(tx, key) : [],
    }
  })
  return { day: key.day, answering, changes, more: rows.length === changesPerRead, partials, over }

  /** The trace of an execution may begin later. */
  async function begin(): Promise<Pick<News, 'day' | 'answering' | 'over'>> {
    return await database.inTenant(tenantId, async (tx) => {
      const over = await isTraceOver(tx, tenantId, traceId, executionId)
      const day = known.day ?? (await findTrace(tx, tenantId, traceId))?.day
      if (day === undefined) return { day, answering: undefined, over }
      return { day, answering: new Set(await listAnswering(tx, { tenantId, traceId, day })), over }
    })
  }
}
