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

test('addresses follow the folders below app/', () => {
  expect(homePath('acme')).toBe('/t/acme')
  expect(approvalPath('acme', 'apr_1')).toBe('/t/acme/approvals/apr_1')
  expect(policyPath('acme', 'p')).toBe('/t/acme/policies/p')
  expect(policyPath('acme', 'p', { version: 3 })).toBe('/t/acme/policies/p?version=3')
  expect(compareAgentPath('acme', 'a', { from: '1', to: '2' })).toBe('/t/acme/agents/a/compare?from=1&to=2')
})

test('a search holds only what is set, and is escaped', () => {
  expect(approvalsPath('acme')).toBe('/t/acme/approvals')
  expect(tracePath('acme', 't1', { q: 'a&b=c d', span: undefined })).toBe('/t/acme/traces/t1?q=a%26b%3Dc+d')
})

test.each(['', '.', '..', 'a/b', 'a%2Fb', 'a b', 'ä', '"', 'a'.repeat(129)])('%j is no parameter', (value) => {
  expect(isPathParameter(value)).toBe(false)
  expect(() => homePath(value)).toThrow('not usable in an address')
})

test.each(['acme', '...', 'a.b~c-d_E9', 'a'.repeat(128)])('%j is a parameter', (value) => {
  expect(isPathParameter(value)).toBe(true)
})
