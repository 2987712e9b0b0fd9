import { expect, test } from 'vitest'
import { type SettingsPatch, TenantSettings } from '#lib/schemas/tenants.ts'
import { dangersOf, splitSettings } from './settings.ts'

const safe = TenantSettings.parse({ unmaskSecondPerson: 'required', retentionDays: 365 })
const weak = TenantSettings.parse({
  separationOfDuties: 'off',
  machineDecisions: 'on',
  unmaskSecondPerson: 'off',
  retentionDays: 30,
})

test.each<SettingsPatch>([
  { separationOfDuties: 'off' },
  { machineDecisions: 'on' },
  { unmaskSecondPerson: 'off' },
  { retentionDays: 364 },
])('%o needs an approval, and its reversal does not', (patch) => {
  const { immediate, proposed } = splitSettings(safe, patch)
  expect(immediate).toEqual([])
  expect(proposed).toHaveLength(1)
  const [changed] = proposed
  const back = splitSettings({ ...safe, ...patch } as TenantSettings, { [changed?.name ?? '']: changed?.before })
  expect(back).toMatchObject({ proposed: [], immediate: [{ name: changed?.name, after: changed?.before }] })
})

test('shortening an unlimited retention is weaker, and removing the limit is safer', () => {
  expect(splitSettings(TenantSettings.parse({}), { retentionDays: 36_500 }).proposed).toHaveLength(1)
  expect(splitSettings(weak, { retentionDays: null }).immediate).toHaveLength(1)
})

test('separates both kinds in one patch, and ignores values that stay the same', () => {
  const { immediate, proposed } = splitSettings(
    { ...safe, machineDecisions: 'on' },
    { separationOfDuties: 'off', machineDecisions: 'off', retentionDays: 365 },
  )
  expect(immediate.map((change) => change.name)).toEqual(['machineDecisions'])
  expect(proposed.map((change) => change.name)).toEqual(['separationOfDuties'])
})

test('settings that are less safe than those of a new tenant are dangers, with their effect', () => {
  const fresh = TenantSettings.parse({})
  expect(dangersOf(fresh)).toEqual([])
  expect(dangersOf({ ...fresh, separationOfDuties: 'off', clientRegistration: 'on', retentionDays: 90 })).toEqual([
    {
      name: 'separationOfDuties',
      effect: 'Requesters can approve their own requests, including open ones.',
    },
    { name: 'clientRegistration', effect: expect.stringMatching(/^Any MCP client can register itself/) },
  ])
})

test('each change of what tokens decide needs an approval, in both directions, and roles from tokens are a danger', () => {
  const roleMapping = [{ issuer: 'https://idp.example', name: 'admins', role: 'tenant_admin' as const }]
  const fresh = TenantSettings.parse({})
  const other = { ...fresh, rolesFrom: 'token' as const, roleClaim: 'groups', groupClaim: 'teams', roleMapping }
  const names = ['rolesFrom', 'roleClaim', 'roleMapping', 'groupClaim']
  expect(splitSettings(fresh, other).proposed.map(({ name }) => name)).toEqual(names)
  expect(splitSettings(other, fresh).proposed.map(({ name }) => name)).toEqual(names)
  expect(splitSettings(other, { roleMapping: [...roleMapping, ...roleMapping] })).toEqual({
    immediate: [],
    proposed: [],
  })
  expect(dangersOf(other).map(({ name }) => name)).toEqual(['rolesFrom'])
})
