import { expect, test } from 'vitest'
import type { Execution } from '#lib/schemas/executions.ts'
import { endingOf } from './ending.ts'

const step = (status: Execution['steps'][number]['status']): Execution['steps'][number] => ({
  id: 'order',
  kind: 'tool',
  title: 'payments.lookup_order',
  status,
  approvalId: null,
  startedAt: null,
  endedAt: null,
})
const ended = (status: Execution['status'], code: string, steps = [step('succeeded')]) =>
  endingOf({ status, error: { code, message: 'The reason.' }, steps })

test.each(['queued', 'running', 'waiting_approval', 'waiting_input', 'succeeded'] as const)(
  '%s needs no explanation',
  (status) => {
    expect(endingOf({ status, error: null, steps: [] })).toBeUndefined()
  },
)

test.each(['failed', 'denied', 'rejected', 'expired', 'timed_out', 'canceled', 'indeterminate'] as const)(
  '%s explains what happened, what was done earlier, and what to do',
  (status) => {
    const ending = ended(status, 'x')
    expect(ending?.title).toMatch(/\.$/)
    expect(ending?.effect).toMatch(/One tool call was completed earlier\.$/)
    expect(ending?.advice).toMatch(/\.$/)
  },
)

test('an unknown outcome never suggests repeating the call', () => {
  expect(ended('indeterminate', 'outcome_unknown')?.advice).toMatch(/before you start another/)
})

test('a denial is explained by its code', () => {
  expect(ended('denied', 'no_eligible_approver', [])?.advice).toMatch(/no one can give/)
  expect(ended('denied', 'no_eligible_approver', [])?.effect).toMatch(/No tool call was completed/)
  expect(ended('denied', 'APPROVAL_REQUIRED')?.advice).toMatch(/change its policy/)
})
