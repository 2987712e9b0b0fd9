import { expect, test } from 'vitest'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { ADDED, COST, DURATION, HIDDEN, INPUT, MISSING, OUTPUT, STATUS, TOKENS } from './difference.ts'
import { changesOf, markOf } from './words.ts'

const span = (more: Partial<TraceSpan> = {}): TraceSpan => ({
  spanId: 'a',
  parentSpanId: null,
  name: 'a',
  kind: 'model',
  status: 'ok',
  startedAt: 0,
  endedAt: 1000,
  ...more,
})
const call = (inputTokens: number) => ({ row: 0, inputTokens, outputTokens: 100, cost: null })

test('a row says what differs, the state first', () => {
  const both = {
    one: span(),
    other: span({ status: 'error', endedAt: 2_500 }),
    calls: [call(1_000), call(300)] as [ReturnType<typeof call>, ReturnType<typeof call>],
  }
  expect(changesOf(STATUS | DURATION | TOKENS | COST | INPUT | OUTPUT, both)).toEqual([
    'ended → error',
    'input',
    'output',
    '+1.50 s',
    '−700 tokens',
    'cost',
  ])
  expect(changesOf(HIDDEN, both)).toEqual(['masked values not compared'])
  expect(changesOf(0, both)).toEqual([])
})

test('what one trace lacks is said from the side of the second one', () => {
  const alone = { one: undefined, other: span(), calls: [undefined, undefined] as [undefined, undefined] }
  expect(changesOf(ADDED, alone)).toEqual(['only in the second'])
  expect(changesOf(MISSING, { ...alone, one: span(), other: undefined })).toEqual(['only in the first'])
  expect([ADDED, MISSING, OUTPUT, HIDDEN, 0].map((bits) => markOf(bits).word)).toEqual([
    'added',
    'missing',
    'changed',
    'the same',
    'the same',
  ])
})
