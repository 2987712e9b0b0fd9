import { expect, test } from 'vitest'
import { accountNote, invitesHere, whereMemberSignsIn } from './account-words.ts'

const issuer = 'https://auth.example:8443/realms/northwind'

test('people are invited where their accounts are created here, and the note names the provider otherwise', () => {
  for (const source of [undefined, { provider: null, scim: null }]) {
    expect(invitesHere(source)).toBe(true)
    expect(accountNote(source)).toBeUndefined()
  }
  expect(invitesHere({ provider: issuer, scim: null })).toBe(false)
  expect(accountNote({ provider: issuer, scim: null })).toBe(
    'People’s accounts are at auth.example:8443, so no one is invited here. Someone with an account there becomes a member at the first sign-in.',
  )
  expect(accountNote({ provider: issuer, scim: issuer })).toContain(
    'when SCIM sends the account, or at the first sign-in.',
  )
})

test('next to accounts that are created here, the note names the provider whose people SCIM manages', () => {
  const source = { provider: null, scim: issuer }
  expect(invitesHere(source)).toBe(true)
  expect(accountNote(source)).toBe(
    'auth.example:8443 manages its people here by SCIM. Invite only people without an account there.',
  )
})

test('a member signs in at the host of an external provider, here, or at another organisation', () => {
  expect(whereMemberSignsIn({ isForeign: true, issuer })).toBe('A member who signs in at auth.example:8443.')
  expect(whereMemberSignsIn({ isForeign: false, issuer: null })).toBe('A member of this organisation.')
  // A server of the version before does not name the issuer.
  expect(whereMemberSignsIn({ isForeign: true })).toBe('A member who signs in at another organisation.')
})
