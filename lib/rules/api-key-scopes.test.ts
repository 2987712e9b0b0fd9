import { expect, test } from 'vitest'
import { roleNames, rolePermissions } from '#lib/permissions.ts'
import { grantOfScope, grantsOf } from './api-key-scopes.ts'

test('only scopes in the specification’s mapping grant permissions', () => {
  expect(grantOfScope('decisions:read')).toBe('approval:list')
  const permissions = Object.values(rolePermissions).flat()
  const others = [
    ...roleNames,
    ...permissions,
    'Decisions:read',
    ' decisions:read',
    '*',
    '',
    '__proto__',
    'constructor',
  ]
  for (const scope of others.filter((name) => name !== 'decisions:read'))
    expect(grantOfScope(scope), scope).toBe(undefined)
})

test('a repeated scope grants its permission once', () => {
  expect(grantsOf(['decisions:read', 'traces:write', 'decisions:read'])).toEqual(['approval:list'])
  expect(grantsOf([])).toEqual([])
})
