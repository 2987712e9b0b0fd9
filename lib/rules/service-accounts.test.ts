import { expect, test } from 'vitest'
import { clientIdOf, whyNotCreate, whyNotRotate } from './service-accounts.ts'

test.each([
  ['CI pipeline', 'ci-pipeline'],
  ['  Köhler & Söhne (EU) ', 'kohler-sohne-eu'],
  ['a/../b', 'a-b'],
  ['日本', ''],
])('an account named "%s" signs in as "%s"', (name, clientId) => {
  expect(clientIdOf(name)).toBe(clientId)
})

test('refuses a guarded role by name, also in combination with others', () => {
  expect(whyNotCreate(['viewer', 'operator', 'auditor'])).toBe(undefined)
  for (const role of ['approver', 'privacy_officer', 'tenant_admin'])
    expect(whyNotCreate(['viewer', role])?.message).toContain(role)
})

test('refuses a secret that would give its new holder a guarded role', () => {
  expect(whyNotRotate(['developer', 'auditor'], ['tenant_admin'])).toBe(undefined)
  expect(whyNotRotate(['tenant_admin'], ['tenant_admin'])).toBe(undefined)
  expect(whyNotRotate(['privacy_officer', 'viewer'], ['tenant_admin'])?.message).toContain('privacy_officer')
})
