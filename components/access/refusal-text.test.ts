import { expect, test } from 'vitest'
import {
  type MemberFacts,
  memberRefusals,
  type Refusal,
  type VouchFacts,
  whyNotRemove,
  whyNotResetPassword,
  whyNotResume,
  whyNotSetRoles,
  whyNotSuspend,
  whyNotVouch,
} from '#lib/rules/members.ts'
import { whyNotArchive } from '#lib/rules/secrets.ts'
import { whyNotAgents, whyNotConnect, whyNotCreate, whyNotRotate } from '#lib/rules/service-accounts.ts'
import { accountRefusalText, archiveRefusalText, memberRefusalText, type Tie } from './refusal-text.ts'

const member: MemberFacts = {
  kind: 'person',
  status: 'active',
  roles: ['viewer'],
  isCaller: false,
  isLastAdmin: false,
  isForeign: false,
  rolesFromToken: false,
}
const account: VouchFacts = {
  kind: 'person',
  status: 'active',
  isForeign: false,
  hasOpenLink: false,
  awaits: 'proof',
  identityLink: undefined,
}

test('the console refuses in English with the words of the API', () => {
  const tie: Tie = { kind: 'invited', date: '2026-11-23' }
  const cases: (Refusal | undefined)[] = [
    whyNotVouch({ ...account, status: 'removed' }),
    whyNotVouch({ ...account, kind: 'service_account' }),
    whyNotVouch({ ...account, isForeign: true }),
    whyNotVouch({ ...account, identityLink: 'invited this account on 2026-11-23' }),
    whyNotVouch({ ...account, awaits: undefined }),
    whyNotVouch({ ...account, hasOpenLink: true }),
    whyNotSetRoles({ ...member, isCaller: true }, []),
    whyNotSetRoles({ ...member, rolesFromToken: true }, []),
    whyNotSetRoles({ ...member, isLastAdmin: true }, []),
    whyNotSuspend({ ...member, isCaller: true }),
    whyNotSuspend({ ...member, status: 'suspended' }),
    whyNotResume(member),
    whyNotResetPassword({ ...member, isLastAdmin: true }),
    whyNotResetPassword({ ...member, isCaller: true }),
    whyNotResetPassword({ ...member, kind: 'service_account' }),
    whyNotResetPassword({ ...member, isForeign: true }),
    whyNotResetPassword({ ...member, status: 'suspended' }),
    whyNotRemove({ ...member, status: 'removed' }),
  ]
  for (const refusal of cases) {
    expect(refusal).toBeDefined()
    expect(memberRefusalText(refusal, { tie })).toBe(refusal?.message)
  }
  const machine = whyNotSetRoles({ ...member, kind: 'service_account' }, ['approver'])
  expect(memberRefusalText(machine, { roles: ['approver'] })).toBe(
    'A service account can’t have the role Approver. Choose other roles.',
  )
  // `identity`: only the server knows it.
  const compared = new Set([...cases, machine].map((refusal) => refusal?.why))
  expect(memberRefusals.filter((why) => !compared.has(why))).toEqual(['identity'])
})

test('of service accounts, their tokens and secrets', () => {
  expect(accountRefusalText(whyNotCreate(['approver']))).toBe(
    'A service account can’t have the role Approver, which is for people only.',
  )
  expect(accountRefusalText(whyNotRotate(['approver'], []))).toBe(
    'With its secret you would have the role Approver, which you don’t have yourself.',
  )
  expect(accountRefusalText(whyNotConnect('telemetry', []))).toMatch(
    /^The service account lacks the permission telemetry:write, so the token could do nothing\. Choose an account with the role /,
  )
  for (const refusal of [whyNotAgents('gateway', undefined), whyNotAgents('scim', [])])
    expect(accountRefusalText(refusal)).toBe(refusal?.message)
  const active = { kind: 'api_key', status: 'active' } as const
  expect(archiveRefusalText(active)).toBe(whyNotArchive(active))
  expect(archiveRefusalText({ ...active, status: 'revoked' })).toBeUndefined()
})
