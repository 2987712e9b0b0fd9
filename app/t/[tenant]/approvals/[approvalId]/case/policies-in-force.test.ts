import { expect, test } from 'vitest'
import { policiesInForce } from './policies-in-force.ts'

const policy = (policyId: string, mode: 'enforce' | 'shadow', version: number) => ({
  policyId,
  mode,
  name: `policy-${policyId}`,
  version,
  digest: 'sha256:0',
})
const change = (policyId: string, mode: 'enforce' | 'shadow', released: number[], now: number[]) => ({
  policyId,
  name: `policy-${policyId}`,
  mode,
  released,
  now,
})

test('without changes, the pinned policies are in force, except those in shadow', () => {
  const content = { policies: [policy('b', 'enforce', 2), policy('a', 'enforce', 1), policy('c', 'shadow', 1)] }
  expect(policiesInForce({ content, policyChanges: [] })).toEqual(['policy-a 1', 'policy-b 2'])
  expect(policiesInForce({ content: { policies: [] }, policyChanges: [] })).toEqual([])
})

test('a policy bound since the proposal is in force, one that was revoked is not, and a new version replaces the old one', () => {
  const content = { policies: [policy('a', 'enforce', 1), policy('b', 'enforce', 1), policy('c', 'enforce', 1)] }
  const policyChanges = [
    change('a', 'enforce', [1], []),
    change('b', 'enforce', [1], [2]),
    change('b', 'shadow', [], [3]),
    change('d', 'enforce', [], [1]),
  ]
  expect(policiesInForce({ content, policyChanges })).toEqual(['policy-b 2', 'policy-c 1', 'policy-d 1'])
})

test('of a release that has ended, or pins no policies, nothing is said', () => {
  expect(policiesInForce({ content: { policies: [] }, policyChanges: null })).toBeUndefined()
})
