import { expect, test } from 'vitest'
import { obligationText } from './obligation-text.ts'

test.each([
  [
    'approval',
    { group: 'refund-approvers', quorum: '1', expiresAfterSeconds: '604800', token: 'approval:sha256:00' },
    'Approval by 1 of refund-approvers within 7 d (the-rule)',
  ],
  [
    'mask',
    { paths: 'customer.iban,customer.name', method: 'redact' },
    'Masked before the call: customer.iban, customer.name (redact) (the-rule)',
  ],
  ['mask', { paths: '', method: 'hash' }, 'Masked before the call: nothing (hash) (the-rule)'],
  [
    'budget',
    { key: 'k', scope: 'agent', unit: 'calls', limit: '10', amount: '1', windowSeconds: '3600' },
    'Budget of 10 calls for each agent within 1 h; this call may use 1 (the-rule)',
  ],
  [
    'budget',
    { key: 'k', scope: 'execution', unit: 'EUR', limit: '2.50', amount: '0.1' },
    'Budget of 2.50 EUR for each execution; this call may use 0.1 (the-rule)',
  ],
  ['later', { one: '1', other: '2' }, 'later, one 1, other 2 (the-rule)'],
])('%s %j', (kind, parameters, text) => {
  expect(obligationText({ kind, policyRule: 'the-rule', parameters })).toBe(text)
})
