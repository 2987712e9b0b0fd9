import { describe, expect, test } from 'vitest'
import type { SettingChange } from '#lib/rules/settings.ts'
import { passwordResetPresentation, roleGrantPresentation, settingsPresentation } from './presentation.ts'

const lena = {
  displayName: 'Lena Brandt',
  username: 'lena',
  email: null,
  kind: 'person',
  status: 'invited',
  roles: ['viewer'],
}
const tenant = { displayName: 'Northwind', externalId: 'org-northwind' }
const change = (name: SettingChange['name'], before: SettingChange['before'], after: SettingChange['after']) =>
  settingsPresentation(tenant, [{ name, before, after, effect: 'Something changes.' }], 'Because.')

describe('a request says that it can’t be undone', () => {
  test.each([
    ['a shorter retention', change('retentionDays', null, 90)],
    ['a shorter retention of archives', change('archiveRetentionDays', 365, 30)],
    ['archives that an erasure deletes', change('archivesOnErasure', 'mark', 'delete')],
    ['a password reset', passwordResetPresentation(lena, 'Tom', undefined, false)],
  ])('%s', (_name, { reversible, irreversibleNote }) => {
    expect({ reversible, irreversibleNote }).toEqual({
      reversible: false,
      irreversibleNote: expect.stringContaining('can’t be restored'),
    })
  })

  test('and others that they can be changed', () => {
    expect(change('separationOfDuties', 'on', 'off')).toMatchObject({ reversible: true, irreversibleNote: null })
  })
})

test('a request says in a title that a rule is relaxed, and names its effect as what goes ahead', () => {
  expect(change('clientRegistration', 'off', 'on')).toMatchObject({
    title: 'Relax the rule for registration of programs in Northwind',
    effectLabel: 'change of the rule for registration of programs',
    verb: 'Relax',
  })
  expect(change('roleClaim', 'roles', 'groups')).toMatchObject({
    title: 'Change the claim that names roles in Northwind',
    effectLabel: 'change of the claim that names roles',
  })
})

test('what a request says about a person is what was so when it was made', () => {
  const said = (status: string) => roleGrantPresentation({ ...lena, status }, ['approver'], 'Tom', undefined).effects
  expect(said('invited')).toContainEqual(
    expect.stringMatching(/^When this was requested, Lena Brandt had not set a password yet\./),
  )
  expect(said('active')).toContain('Lena Brandt was an active member when this was requested.')
})
