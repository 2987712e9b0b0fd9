import { expect, test } from 'vitest'
import {
  approvalPath,
  approvalsPath,
  compareAgentPath,
  homePath,
  isPathParameter,
  policyPath,
  tracePath,
} from './paths.ts'

test('addresses match the folders below app/', () => {
  expect(homePath('acme')).toBe('/t/acme')
  expect(approvalPath('acme', 'apr_1')).toBe('/t/acme/approvals/apr_1')
  expect(policyPath('acme', 'p')).toBe('/t/acme/policies/p')
  expect(policyPath('acme', 'p', { version: 3 })).toBe('/t/acme/policies/p?version=3')
  expect(compareAgentPath('acme', 'a', { from: '1', to: '2' })).toBe('/t/acme/agents/a/compare?from=1&to=2')
})

test('the query string contains only values that are set, escaped', () => {
  expect(approvalsPath('acme')).toBe('/t/acme/approvals')
  expect(tracePath('acme', 't1', { q: 'a&b=c d', span: undefined })).toBe('/t/acme/traces/t1?q=a%26b%3Dc+d')
})

test.each(['', '.', '..', 'a/b', 'a%2Fb', 'a b', 'ä', '"', 'a'.repeat(129)])('rejects the parameter %j', (value) => {
  expect(isPathParameter(value)).toBe(false)
  expect(() => homePath(value)).toThrow('Not usable in an address')
})

test.each(['acme', '...', 'a.b~c-d_E9', 'a'.repeat(128)])('accepts the parameter %j', (value) => {
  expect(isPathParameter(value)).toBe(true)
})
