import { expect, test } from 'vitest'
import { type SettingsPatch, TenantSettings } from '#lib/schemas/tenants.ts'
import { splitSettings } from './settings.ts'

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
])('%o is asked for, and its way back is not', (patch) => {
  const { atOnce, ask } = splitSettings(safe, patch)
  expect(atOnce).toEqual([])
  expect(ask).toHaveLength(1)
  const [changed] = ask
  const back = splitSettings({ ...safe, ...patch } as TenantSettings, { [changed?.name ?? '']: changed?.before })
  expect(back).toMatchObject({ ask: [], atOnce: [{ name: changed?.name, after: changed?.before }] })
})

test('from for ever to any number of days is weaker, and to for ever is safer', () => {
  expect(splitSettings(TenantSettings.parse({}), { retentionDays: 36_500 }).ask).toHaveLength(1)
  expect(splitSettings(weak, { retentionDays: null }).atOnce).toHaveLength(1)
})

test('both kinds in one patch are told apart, and what stays is no change', () => {
  const { atOnce, ask } = splitSettings(
    { ...safe, machineDecisions: 'on' },
    { separationOfDuties: 'off', machineDecisions: 'off', retentionDays: 365 },
  )
  expect(atOnce.map((change) => change.name)).toEqual(['machineDecisions'])
  expect(ask.map((change) => change.name)).toEqual(['separationOfDuties'])
})
