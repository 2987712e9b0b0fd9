import { expect, test } from 'vitest'
import { settingName, settingText, splitSettings } from '#lib/rules/settings.ts'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { effectText, settingNameText, settingValueText } from './setting-words.ts'

const entries = [
  { issuer: 'https://id.example', name: 'admins', role: 'tenant_admin' as const },
  { issuer: 'https://id.example', name: 'readers', role: 'viewer' as const },
]
const usual = TenantSettings.parse({})
/** Two other values of each setting than the usual one, as far as it has them. */
const others: Partial<TenantSettings>[] = [
  {
    separationOfDuties: 'off',
    machineDecisions: 'on',
    unmaskSecondPerson: 'off',
    passkeyForTiers: ['high', 'critical'],
    readingSeconds: 30,
    retentionDays: 90,
    archiveRetentionDays: 30,
    archivesOnErasure: 'delete',
    clientRegistration: 'on',
    rolesFrom: 'token',
    roleClaim: 'realm_access.roles',
    roleMapping: entries,
    groupClaim: 'teams',
  },
  { passkeyForTiers: ['low', 'medium', 'high'], roleMapping: entries.slice(0, 1) },
]

test('the console says of a change in English what the request says', () => {
  let compared = 0
  for (const other of others)
    for (const [before, after] of [
      [usual, other],
      [{ ...usual, ...other }, usual],
    ] as const) {
      const { immediate, proposed } = splitSettings({ ...usual, ...before }, after)
      for (const change of [...immediate, ...proposed]) {
        expect(effectText(change.name, change.after as never)).toBe(change.effect)
        for (const value of [change.before, change.after])
          expect(settingValueText(change.name, value)).toBe(settingText(change.name, value))
        compared++
      }
    }
  expect(compared).toBeGreaterThan(20)
})

test('the console has the names of all settings', () => {
  for (const [name, english] of Object.entries(settingName)) expect(settingNameText(name)).toBe(english)
})
