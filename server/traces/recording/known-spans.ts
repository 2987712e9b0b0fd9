import { isJsonObject } from '#lib/json.ts'
import { changedRow } from '#server/kernel/bound/known.ts'
import type { OwnRows } from '#server/kernel/bound/own-rows.ts'
import { parseExactly } from '#server/kernel/bound/state.ts'
import { boundType, type KnownRow } from '#server/kernel/bound/types.ts'
import type { StoredAttribute } from '#server/traces/attributes.ts'
import type { SpanEnd, SpanStart } from './live-store.ts'

// The rows that start_spans and end_spans write for the spans of an execution, as their states cover them.

const bound = boundType('span')

/** The trace of spans: its day, and the number of its last change before. */
type Place = { day: string; traceId: string; changes: number }

const idOf = ({ day, traceId }: Place, spanId: string): string => `${day}/${traceId}/${spanId}`

/** As the database writes it: in microseconds. */
const moment = (at: Date | string): string => new Date(at).toISOString().replace('Z', '000Z')

/** Without what follows from a mask or an erasure. */
const provable = (attributes: readonly StoredAttribute[]): StoredAttribute[] =>
  attributes.map(({ masked: _masked, erased: _erased, ...rest }) => rest)

/** Spans that start in a new trace, and the number of its last change afterwards. */
export function startedRows(place: Place, starts: readonly SpanStart[]): { rows: KnownRow[]; changes: number } {
  let { changes } = place
  const rows = starts.map(({ spanId, parentSpanId, name, kind, status, attributes, startedAt, endedAt }) => {
    const startChange = changes + 1
    const endChange = endedAt === null ? null : changes + 2
    changes = endChange ?? startChange
    const row = {
      day: place.day,
      traceId: place.traceId,
      spanId,
      parentSpanId,
      origin: 'execution',
      name,
      kind,
      status,
      statusMessage: null,
      events: [],
      links: [],
      facts: {},
      auditId: null,
      batchIndex: null,
      resourceIndex: null,
      startChange,
      endChange,
      startedAt: moment(startedAt),
      endedAt: endedAt === null ? null : moment(endedAt),
      attributes: provable(attributes),
    }
    return { bound, id: idOf(place, spanId), row: JSON.stringify(row), before: null }
  })
  return { rows, changes }
}

/** Spans of this process that end, and the number of the trace's last change afterwards. */
export function endedRows(place: Place, own: OwnRows, ends: readonly SpanEnd[]): { rows: KnownRow[]; changes: number } {
  let { changes } = place
  const rows = ends.map(({ spanId, status, attributes, endedAt }) => {
    const id = idOf(place, spanId)
    const { row, before } = own.last(bound, id)
    const started = parseExactly(row)
    if (!isJsonObject(started) || !Array.isArray(started.attributes))
      throw new Error('unreachable: a row of this module')
    changes += 1
    const ended = {
      status,
      attributes: [...started.attributes, ...provable(attributes)],
      endedAt: moment(endedAt),
      endChange: changes,
    }
    return { bound, id, row: changedRow(row, ended), before }
  })
  return { rows, changes }
}
