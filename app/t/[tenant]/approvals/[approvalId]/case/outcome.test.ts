import { describe, expect, test } from 'vitest'
import type { Approval } from '#lib/schemas/approvals.ts'
import { type CallOutcome, canStillChange, effectsNow, outcomeOfCall, titleNow } from './outcome.ts'

const title = 'Issue refund of €59.90 for A-1001'
const effects = [
  'payments.issue_refund is called once, with exactly the arguments below.',
  'The agent then continues with the result of the call.',
]
const request = (changes: Partial<Approval>, verb = 'Issue') =>
  ({ kind: 'tool_call', title, changes: null, presentation: { verb, effects }, ...changes }) as Approval

describe('the title', () => {
  test.each<[Approval['status'], CallOutcome | undefined, string]>([
    ['pending', undefined, title],
    ['rejected', undefined, `Rejected: ${title}`],
    ['expired', undefined, `Expired: ${title}`],
    ['canceled', undefined, `Canceled: ${title}`],
    ['approved', undefined, `Approved: ${title}`],
    ['approved', 'not-begun', `Approved: ${title}`],
    ['approved', 'running', `Approved: ${title}`],
    ['approved', 'taken', `Approved: ${title}`],
    ['approved', 'succeeded', 'Issued refund of €59.90 for A-1001'],
    ['approved', 'failed', `Approved, but it failed: ${title}`],
    ['approved', 'unknown', `Approved, but its outcome is unknown: ${title}`],
    ['approved', 'not-made', `Approved, but not carried out: ${title}`],
  ])('of a request that is %s, and whose call is %s', (status, outcome, expected) => {
    expect(titleNow(request({ status }), outcome)).toBe(expected)
  })

  test('names the changes that ended the request', () => {
    const changes = { reason: 'Less.' } as Approval['changes']
    expect(titleNow(request({ status: 'canceled', changes }))).toBe(`Changes requested: ${title}`)
  })

  test('of a success whose tool does not begin with a known verb says that it is done', () => {
    const shown = request({ status: 'approved', title: 'Payment create for A-1' }, 'Payment')
    expect(titleNow(shown, 'succeeded')).toBe('Done: Payment create for A-1')
    expect(titleNow(request({ status: 'approved', title: 'A request whose title was erased' }), 'succeeded')).toBe(
      'Done: A request whose title was erased',
    )
  })
})

describe('the effects', () => {
  const past = 'payments.issue_refund was called once, with exactly the arguments below.'
  test.each<[Partial<Approval>, CallOutcome | undefined, string[]]>([
    [{ status: 'pending' }, undefined, effects],
    [{ status: 'rejected' }, undefined, effects],
    [{ status: 'approved' }, 'not-begun', effects],
    [{ status: 'approved' }, 'not-made', effects],
    [{ status: 'approved', kind: 'external_call' }, 'taken', effects],
    [{ status: 'approved' }, 'running', [past, effects[1] ?? '']],
    [{ status: 'approved' }, 'failed', [past, effects[1] ?? '']],
    [{ status: 'approved' }, 'succeeded', [past, 'The agent then continued with the result of the call.']],
  ])('are in the past tense as far as they have happened: %j %s', (changes, outcome, expected) => {
    expect(effectsNow(request(changes), outcome)).toEqual(expected)
  })
})

test.each<[Parameters<typeof outcomeOfCall>, CallOutcome | undefined]>([
  [[undefined, null, false], 'not-begun'],
  [[undefined, null, true], 'not-made'],
  [[{ status: 'calling' }, '2026-11-23T09:00:00.000Z', false], 'running'],
  [[{ status: 'succeeded' }, '2026-11-23T09:00:00.000Z', false], 'succeeded'],
  [[{ status: 'failed' }, '2026-11-23T09:00:00.000Z', true], 'failed'],
  [[{ status: 'calling' }, '2026-11-23T09:00:00.000Z', true], 'unknown'],
  [[{ status: 'failed' }, null, true], 'not-made'],
  [[{ status: 'succeeded' }, null, true], 'succeeded'],
  [[{ status: 'succeeded' }, undefined, true], 'succeeded'],
  [[{ status: 'failed' }, undefined, true], undefined],
  [[undefined, undefined, true], undefined],
])('the outcome of a call is read from its step: %j', (call, expected) => {
  expect(outcomeOfCall(...call)).toBe(expected)
})

test.each<[string, Pick<Approval, 'status' | 'seal' | 'usedAt'>, boolean]>([
  ['an open request', { status: 'pending', seal: 'none', usedAt: null }, true],
  ['a rejected one before its seal', { status: 'rejected', seal: 'pending', usedAt: null }, true],
  ['a rejected one after it', { status: 'rejected', seal: 'sealed', usedAt: null }, false],
  [
    'an approved one whose call has not begun, after its seal',
    { status: 'approved', seal: 'sealed', usedAt: null },
    true,
  ],
  ['one whose call has begun', { status: 'approved', seal: 'sealed', usedAt: '2026-11-24T12:00:00.000Z' }, false],
])('whether %s can still change', (_name, approval, expected) => {
  expect(canStillChange(approval)).toBe(expected)
})
