import { describe, expect, test } from 'vitest'
import {
  guardedRoles,
  type MemberFacts,
  splitRoles,
  whyNotRemove,
  whyNotResetPassword,
  whyNotResume,
  whyNotSetRoles,
  whyNotSuspend,
} from './members.ts'

const member = (changes: Partial<MemberFacts> = {}): MemberFacts => ({
  kind: 'person',
  status: 'active',
  roles: ['developer'],
  isCaller: false,
  isLastAdmin: false,
  isForeign: false,
  rolesFromToken: false,
  ...changes,
})

describe('splitRoles', () => {
  test.each([...guardedRoles])('%s needs an approval, unless the member has it already', (role) => {
    expect(splitRoles(['viewer'], ['viewer', role])).toEqual({ immediate: ['viewer'], proposed: [role] })
    expect(splitRoles([role], [role, 'auditor'])).toEqual({ immediate: [role, 'auditor'], proposed: [] })
  })

  test('a repeated role counts once', () => {
    expect(splitRoles([], ['viewer', 'viewer', 'approver', 'approver'])).toEqual({
      immediate: ['viewer'],
      proposed: ['approver'],
    })
  })
})

test.each<[string, Partial<MemberFacts>, readonly string[], string]>([
  ['their own', { isCaller: true }, ['viewer'], 'separation_of_duties'],
  ['of a removed member', { status: 'removed' }, ['viewer'], 'conflict'],
  ['approver for a machine', { kind: 'service_account' }, ['approver'], 'forbidden'],
  ['tenant_admin for a machine', { kind: 'service_account' }, ['developer', 'tenant_admin'], 'forbidden'],
  ['of the last administrator', { isLastAdmin: true, roles: ['tenant_admin'] }, ['viewer'], 'last_admin'],
])('refuses to set the roles %s', (_what, facts, wanted, code) => {
  expect(whyNotSetRoles(member(facts), wanted)?.code).toBe(code)
})

test('allows all other changes, also for a machine that keeps roles given by its operator', () => {
  expect(whyNotSetRoles(member(), ['approver', 'viewer'])).toBeUndefined()
  expect(whyNotSetRoles(member({ status: 'suspended' }), [])).toBeUndefined()
  const machine = member({ kind: 'service_account', roles: ['tenant_admin'] })
  expect(whyNotSetRoles(machine, ['tenant_admin', 'auditor'])).toBeUndefined()
})

test.each<[string, (facts: MemberFacts) => { code: string } | undefined, Partial<MemberFacts>, string | undefined]>([
  ['suspend', whyNotSuspend, {}, undefined],
  ['suspend', whyNotSuspend, { isCaller: true }, 'separation_of_duties'],
  ['suspend', whyNotSuspend, { isLastAdmin: true }, 'last_admin'],
  ['suspend', whyNotSuspend, { status: 'invited' }, 'conflict'],
  ['resume', whyNotResume, { status: 'suspended' }, undefined],
  ['resume', whyNotResume, {}, 'conflict'],
  ['resume', whyNotResume, { status: 'removed' }, 'conflict'],
  ['remove', whyNotRemove, { status: 'invited' }, undefined],
  ['remove', whyNotRemove, { isCaller: true }, 'separation_of_duties'],
  ['remove', whyNotRemove, { isLastAdmin: true }, 'last_admin'],
  ['remove', whyNotRemove, { status: 'removed' }, 'conflict'],
  ['reset', whyNotResetPassword, { status: 'invited' }, undefined],
  ['reset', whyNotResetPassword, { isCaller: true }, 'separation_of_duties'],
  ['reset', whyNotResetPassword, { kind: 'service_account' }, 'conflict'],
  ['reset', whyNotResetPassword, { isForeign: true }, 'conflict'],
  ['reset', whyNotResetPassword, { status: 'suspended' }, 'conflict'],
])('%s: case %#', (_name, rule, facts, code) => {
  expect(rule(member(facts))?.code).toBe(code)
})
