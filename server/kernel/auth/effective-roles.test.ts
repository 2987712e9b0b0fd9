import { describe, expect, test } from 'vitest'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { effectiveRoles, namesAt, rolesNamed } from './effective-roles.ts'

const issuer = 'https://idp.example/realms/northwind'
const settings = (change: object) => TenantSettings.parse(change)
const named = (claims: object, change: object = {}, kind = 'person') =>
  rolesNamed({ issuer, claims: { ...claims } }, settings(change), kind)

describe('the names in a claim', () => {
  test.each<[string, string, object, string[]]>([
    ['a list', 'groups', { groups: ['a', 'b'] }, ['a', 'b']],
    ['a text', 'role', { role: 'a' }, ['a']],
    ['a path', 'realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['a name with dots', 'https://idp.example/roles', { 'https://idp.example/roles': ['a'] }, ['a']],
    ['a missing claim', 'groups', {}, []],
    ['a missing member of the path', 'realm_access.roles', { realm_access: {} }, []],
    ['a path through a text', 'a.length', { a: 'text' }, []],
    ['a path through a list', 'a.0', { a: ['text'] }, ['text']],
    ['an object', 'groups', { groups: { admin: true } }, []],
    ['a list of other values', 'groups', { groups: [7, null, { name: 'a' }, ['b'], 'c'] }, ['c']],
    ['a member that every object has', 'constructor.name', {}, []],
    ['the prototype', '__proto__.roles', {}, []],
  ])('%s', (_name, path, claims, expected) => {
    expect(namesAt({ ...claims }, path)).toEqual(expected)
  })
})

describe('the roles that a token names', () => {
  test('unknown and repeated names are ignored, and other shapes name nothing', () => {
    expect(named({ realm_access: { roles: ['viewer', 'viewer', 'root', 7] } })).toEqual(['viewer'])
    expect(named({ realm_access: { roles: { viewer: true } } })).toEqual([])
  })

  test('the mapping of another issuer gives nothing', () => {
    const entry = { name: 'staff', role: 'operator' }
    const claims = { groups: ['staff'] }
    const mapping = (of: string) => ({ roleClaim: 'groups', roleMapping: [{ ...entry, issuer: of }] })
    expect(named(claims, mapping(issuer))).toEqual(['operator'])
    expect(named(claims, mapping(`${issuer}/`))).toEqual([])
  })

  const all = ['viewer', 'approver', 'privacy_officer', 'tenant_admin']
  const claims = { realm_access: { roles: all } }

  test('with roles from tokens, the name of a guarded role gives nothing: only the mapping does', () => {
    expect(named(claims)).toEqual(all)
    expect(named(claims, { rolesFrom: 'token' })).toEqual(['viewer'])
    const roleMapping = [{ issuer, name: 'approver', role: 'approver' }]
    expect(named(claims, { rolesFrom: 'token', roleMapping })).toEqual(['viewer', 'approver'])
  })

  test('a machine gets no guarded role, however it is named', () => {
    const roleMapping = all.map((role) => ({ issuer, name: role, role }))
    expect(named(claims, {}, 'service_account')).toEqual(['viewer'])
    expect(named(claims, { rolesFrom: 'token', roleMapping }, 'service_account')).toEqual(['viewer'])
  })
})

describe('the roles that count', () => {
  const member = { kind: 'person', roles: ['viewer', 'approver'] }
  const token = (roles: string[]) => ({ issuer, roles: [], claims: { realm_access: { roles } } })

  test('are those of the membership that the token also gives', () => {
    expect(effectiveRoles(member, token(['approver', 'operator']), {})).toEqual(['approver'])
    expect(effectiveRoles(member, { issuer: '/realms/x', roles: ['viewer'], claims: undefined }, {})).toEqual([
      'viewer',
    ])
    expect(effectiveRoles(member, undefined, {})).toEqual(['viewer', 'approver'])
  })

  test('lose a guarded role at the moment that roles come from tokens without a mapping', () => {
    expect(effectiveRoles(member, token(['viewer', 'approver']), { rolesFrom: 'token' })).toEqual(['viewer'])
  })
})
