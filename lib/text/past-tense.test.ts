import { expect, test } from 'vitest'
import { pastEffect, pastOf, saysWhen } from './past-tense.ts'

test.each([
  ['Issue', 'Issued'],
  ['Refund', 'Refunded'],
  ['Send', 'Sent'],
  ['Notify', 'Notified'],
  ['Transfer', 'Transferred'],
  ['Set', 'Set'],
  ['Delete', 'Deleted'],
  ['Cancel', 'Canceled'],
])('the past of %s is %s', (verb, past) => {
  expect(pastOf(verb)).toBe(past)
})

test('a word that is not known as a verb is not changed', () => {
  for (const word of ['Payment', 'Run-it', '', 'constructor', '\u0456ssue']) expect(pastOf(word)).toBeUndefined()
})

test('effects are in the past tense once they have happened, and a tool’s description of itself is not changed', () => {
  expect(pastEffect('payments.issue_refund is called once, with exactly the arguments below.')).toBe(
    'payments.issue_refund was called once, with exactly the arguments below.',
  )
  expect(pastEffect('The execution then ends. This is step 3 of 3.')).toBe(
    'The execution then ended. This was step 3 of 3.',
  )
  expect(pastEffect('The execution continues after step 2 of 3: notify.')).toBe(
    'The execution continued after step 2 of 3: notify.',
  )
  expect(pastEffect('refund-assistant 1.4.0 replaces 1.3.0 in production.')).toBe(
    'refund-assistant 1.4.0 replaced 1.3.0 in production.',
  )
  const described = 'The tool’s description of itself: “It is called once.”'
  expect(pastEffect(described)).toBe(described)
})

test.each([
  ['No policy is bound to it there yet. Executions cannot start until one is.', false],
  ['Each call is decided by the policies bound at the time of the call. Currently bound: refund-policy 1.', false],
  ['When this was proposed, no policy was enforced on it there. Executions can start only while one is.', true],
  [
    'Each call is decided by the policies bound at the time of the call. When this was proposed: refund-policy 1.',
    true,
  ],
])('"%s" says when it was so: %s', (effect, says) => {
  expect(saysWhen(effect)).toBe(says)
})
