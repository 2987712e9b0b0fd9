import * as t from '#components/texts/execution-journal/en.ts'
import { formatDay } from '#components/ui/text/time-format.ts'
import type { ExecutionEvent } from '#lib/schemas/executions.ts'

/** Consecutive events of one step (null: of the execution itself). */
export type EventGroup = { kind: 'group'; key: string; stepId: string | null; items: (EventItem | Gap)[] }
export type EventItem = { kind: 'event'; event: ExecutionEvent }
/** A period without events, folded into one line. In milliseconds. */
export type Gap = { kind: 'gap'; key: string; lasted: number; why: typeof t.nothingHappened }

/** Shorter gaps are not shown. */
const shortestGapMs = 30_000

/** Returns the journal as a timeline: its events in order, grouped by step, with the gaps between them. Pure. */
export function eventGroups(events: readonly ExecutionEvent[]): (EventGroup | Gap)[] {
  const timeline: (EventGroup | Gap)[] = []
  let group: EventGroup | undefined
  let before: ExecutionEvent | undefined
  for (const event of events) {
    const gap = before === undefined ? undefined : gapBetween(before, event)
    if (group === undefined || group.stepId !== event.stepId) {
      if (gap !== undefined) timeline.push(gap)
      group = { kind: 'group', key: String(event.seq), stepId: event.stepId, items: [] }
      timeline.push(group)
    } else if (gap !== undefined) group.items.push(gap)
    group.items.push({ kind: 'event', event })
    before = event
  }
  return timeline
}

/** Returns the day of each event (`seq`) that is the first of its day in a time zone, including the journal's first. Pure. */
export function daysBegun(events: readonly ExecutionEvent[], zone: string): ReadonlyMap<number, string> {
  const begun = new Map<number, string>()
  let day: string | undefined
  for (const { seq, at } of events) {
    const own = formatDay(new Date(at), zone)
    if (own !== day) begun.set(seq, own)
    day = own
  }
  return begun
}

function gapBetween(before: ExecutionEvent, after: ExecutionEvent): Gap | undefined {
  const lasted = Date.parse(after.at) - Date.parse(before.at)
  return lasted < shortestGapMs
    ? undefined
    : { kind: 'gap', key: `gap-${after.seq}`, lasted, why: WAITED[before.type] ?? t.nothingHappened }
}

const WAITED: Record<string, typeof t.nothingHappened> = {
  'approval.requested': t.itWaitedForDecision,
  'input.requested': t.itWaitedForInput,
  'tool.called': t.itWaitedForTools,
}
