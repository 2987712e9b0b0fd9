import { expect, test } from 'vitest'
import type { ExecutionEvent } from '#lib/schemas/executions.ts'
import { daysBegun, eventGroups } from './event-groups.ts'

const start = Date.parse('2026-11-20T12:00:00.000Z')
const event = (seq: number, type: string, stepId: string | null, second: number): ExecutionEvent => ({
  seq,
  type,
  stepId,
  data: {},
  at: new Date(start + second * 1000).toISOString(),
})

const shape = (events: ExecutionEvent[]) =>
  eventGroups(events).map((part) =>
    part.kind === 'gap'
      ? part.why({ lasted: `${part.lasted / 1000} s` })
      : [
          part.stepId,
          ...part.items.map((item) =>
            item.kind === 'gap' ? item.why({ lasted: `${item.lasted / 1000} s` }) : item.event.seq,
          ),
        ],
  )

test('consecutive events of a step are grouped, in the journal’s order', () => {
  expect(
    shape([
      event(1, 'execution.running', null, 0),
      event(2, 'policy.decided', 'order', 1),
      event(3, 'tool.called', 'order', 1),
      event(4, 'policy.decided', 'refund', 2),
      event(5, 'execution.denied', null, 2),
    ]),
  ).toEqual([
    [null, 1],
    ['order', 2, 3],
    ['refund', 4],
    [null, 5],
  ])
})

test('a gap is folded into one line that names its reason, within a step and between steps', () => {
  expect(
    shape([
      event(1, 'approval.requested', 'refund', 0),
      event(2, 'approval.decided', 'refund', 7200),
      event(3, 'tool.called', 'refund', 7201),
      event(4, 'execution.succeeded', null, 7300),
    ]),
  ).toEqual([
    ['refund', 1, '7200 s in which it waited for a decision', 2, 3],
    '99 s in which it waited for the tool’s answer',
    [null, 4],
  ])
})

test('every event appears exactly once', () => {
  expect(eventGroups([])).toEqual([])
  const events = Array.from({ length: 50 }, (_, index) =>
    event(index + 1, 'x', index % 3 === 0 ? null : 'a', index * 40),
  )
  const seqs = eventGroups(events).flatMap((part) =>
    part.kind === 'group' ? part.items.flatMap((item) => (item.kind === 'event' ? [item.event.seq] : [])) : [],
  )
  expect(seqs).toEqual(events.map(({ seq }) => seq))
})

test('the first event of each day carries the day, in the reader’s time zone', () => {
  // 12:00 UTC, and eleven and thirteen hours later.
  const events = [event(1, 'a', null, 0), event(2, 'b', null, 39_600), event(3, 'c', null, 46_800)]
  expect([...daysBegun(events, 'UTC')]).toEqual([
    [1, '20 Nov 2026'],
    [3, '21 Nov 2026'],
  ])
  expect([...daysBegun(events, 'Europe/Berlin')]).toEqual([
    [1, '20 Nov 2026'],
    [2, '21 Nov 2026'],
  ])
})
