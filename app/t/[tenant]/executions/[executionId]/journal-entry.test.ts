import { expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { journalEntry } from './journal-entry.ts'

const entry = (type: string, data: JsonValue = {}) => journalEntry({ type, data })

test('a policy decision names its effect and rules', () => {
  expect(
    entry('policy.decided', {
      effect: 'require_approval',
      rules: [
        'refund-policy v1: refund-needs-approval',
        'manifest of refunds 1.4.0 v0: manifest.payments/issue_refund',
      ],
    }),
  ).toEqual({
    title: 'Policy requires an approval for the call',
    shape: 'waiting',
    note: 'refund-policy v1: refund-needs-approval; manifest of refunds 1.4.0: payments/issue_refund',
    payloads: [],
  })
  expect(entry('policy.decided', { effect: 'deny', rules: [] })).toMatchObject({ title: 'Policy denied the call' })
})

test('an approval request links to the approval', () => {
  expect(entry('approval.requested', { approvalId: 'apr-1', group: 'refund-approvers', quorum: 2 })).toMatchObject({
    title: 'An approval was requested from refund-approvers',
    note: '2 people must approve',
    approvalId: 'apr-1',
  })
})

test('a repeated call shows its attempt and its arguments', () => {
  expect(entry('tool.called', { tool: 'payments.issue_refund', attempt: 2, arguments: { id: 'A-1' } })).toMatchObject({
    title: 'payments.issue_refund was called, attempt 2',
    payloads: [{ name: 'Arguments', value: { id: 'A-1' } }],
  })
})

test.each(['failed', 'denied', 'rejected', 'expired', 'timed_out', 'canceled', 'indeterminate'])(
  'the ending %s includes the reason',
  (status) => {
    const error = { code: 'x', message: 'Why it ended.' }
    expect(entry(`execution.${status}`, { error })).toMatchObject({ note: 'Why it ended.' })
  },
)

test('an unknown event is shown with its data', () => {
  expect(entry('wait.opened', { for: 'manager_confirmation' })).toEqual({
    title: 'wait.opened',
    shape: 'pending',
    payloads: [{ name: 'Data', value: { for: 'manager_confirmation' } }],
  })
  expect(entry('constructor').title).toBe('constructor')
})

test('data of an unexpected form is tolerated', () => {
  expect(entry('tool.called', 'odd').title).toMatch(/unknown was called/)
  expect(entry('execution.failed', null).title).toBe('The execution failed')
})

test('a wait names its inputs, and an answer names the inputs that arrived', () => {
  const inputs: JsonValue[] = [{ name: 'manager', ttlSeconds: 60, onExpiry: 'fail' }, { name: 'lawyer' }]
  expect(entry('input.requested', { mode: 'any', inputs }).title).toBe(
    'One of several inputs was requested: manager, lawyer',
  )
  expect(entry('input.requested', { mode: 'one', inputs: inputs.slice(1) }).title).toBe('Input was requested: lawyer')
  expect(entry('input.applied', { receipts: [{ input: 'lawyer', receiptId: 'r' }], output: true })).toMatchObject({
    title: 'The execution continued with lawyer',
    payloads: [{ name: 'Answer', value: true }],
  })
  expect(entry('input.applied', { receipts: [], output: null }).title).toBe(
    'The execution continued with the manifest’s default',
  )
})

test('calls of models and external agents, and the outcomes of a stop, are described', () => {
  expect(entry('model.called', { tool: 'model.gpt-5-mini', attempt: 1 }).title).toBe('gpt-5-mini was called')
  expect(entry('agent.canceled', { taskId: 't-1' })).toMatchObject({
    title: 'The agent ended its task',
    note: 'The task was t-1',
  })
  for (const type of ['tool.refused', 'model.returned', 'model.failed', 'model.outcome_unknown', 'agent.called'])
    expect(entry(type, {}).title).not.toBe(type)
  for (const type of ['agent.working', 'agent.returned', 'agent.failed', 'agent.outcome_unknown'])
    expect(entry(type, {}).title).not.toBe(type)
})

test('a call without a result is described with what its server answered, if it is known', () => {
  expect(entry('tool.outcome_unknown', { attempt: 1, reason: 'its server answered 307' })).toMatchObject({
    title: 'The call did not return a result',
    note: 'It is unknown whether the tool ran: its server answered 307',
  })
  expect(entry('tool.outcome_unknown', { attempt: 1 }).title).toBe('The server stopped during the call')
})
