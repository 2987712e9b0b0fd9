import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { groupSchema } from '../schemas/group.ts'
import { enterpriseUser, unstoredOfUser, userSchema } from '../schemas/user.ts'
import { ScimError } from './errors.ts'
import { applyPatch, patchSchema, readPatch } from './patch.ts'

const user = { id: 'u', schema: userSchema, unstored: unstoredOfUser, extensions: [enterpriseUser] }
const group = { id: 'g', schema: groupSchema, unstored: [], extensions: [] }
const before: JsonObject = {
  externalId: 'a',
  userName: 'bjensen',
  name: { familyName: 'Jensen', givenName: 'Barbara' },
  active: true,
  emails: [
    { value: 'work@example.com', type: 'work', primary: true },
    { value: 'home@example.com', type: 'home' },
  ],
}
const patch = (operations: JsonValue, resource = before, schema: typeof user | typeof group = user) =>
  applyPatch(schema, resource, readPatch({ schemas: [patchSchema], Operations: operations }))
const typeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`
    throw error
  }
  return 'accepted'
}

describe('a patch', () => {
  test('adds, replaces and removes, with a path and without one', () => {
    const after = patch([
      { op: 'replace', path: 'name.familyName', value: 'Smith' },
      { op: 'remove', path: 'name.givenName' },
      { op: 'add', value: { displayName: 'Babs', name: { formatted: 'Babs Smith' } } },
      { op: 'remove', path: 'emails[type eq "home"]' },
      { op: 'add', path: 'emails', value: [{ value: 'other@example.com', type: 'other' }] },
    ])
    expect(after).toEqual({
      ...before,
      displayName: 'Babs',
      name: { familyName: 'Smith', formatted: 'Babs Smith' },
      emails: [
        { value: 'work@example.com', type: 'work', primary: true },
        { value: 'other@example.com', type: 'other' },
      ],
    })
    expect(before.displayName).toBeUndefined()
  })

  test('is read as Entra ID writes it: op in any case, booleans as texts, paths as names, values created by a filter', () => {
    const after = patch([
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', value: { 'name.familyName': 'Smith', 'emails[type eq "other"].value': 'x@example.com' } },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
      { op: 'Add', path: `${enterpriseUser}:department`, value: 'Claims' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+44' },
      { op: 'Add', value: { [enterpriseUser]: { department: 'Claims' } } },
    ])
    expect(after).toMatchObject({ active: false, name: { familyName: 'Smith', givenName: 'Barbara' } })
    expect(after.emails).toEqual([
      { value: 'new@example.com', type: 'work', primary: true },
      { value: 'home@example.com', type: 'home' },
      { value: 'x@example.com', type: 'other' },
    ])
    expect(Object.keys(after)).toEqual(Object.keys(before))
  })

  test('adds members once, and removes those that a path or a value names', () => {
    const members = { displayName: 'g', members: [{ value: '1' }, { value: '2' }, { value: '3' }] }
    const added = patch([{ op: 'add', path: 'members', value: [{ value: '3' }, { value: '4' }] }], members, group)
    expect(added.members).toEqual([{ value: '1' }, { value: '2' }, { value: '3' }, { value: '4' }])
    const byPath = patch([{ op: 'remove', path: 'members[value eq "2"]' }], members, group)
    expect(byPath.members).toEqual([{ value: '1' }, { value: '3' }])
    const byValue = patch([{ op: 'Remove', path: 'members', value: [{ value: '1' }] }], members, group)
    expect(byValue.members).toEqual([{ value: '2' }, { value: '3' }])
    expect(patch([{ op: 'remove', path: 'members' }], members, group).members).toBeUndefined()
    const again = patch([{ op: 'remove', path: 'members[value eq "9"]' }], members, group)
    expect(again.members).toEqual(members.members)
  })

  test('makes one value the primary one', () => {
    const value = [{ value: 'p@example.com', primary: true }]
    const { emails } = patch([{ op: 'add', path: 'emails', value }])
    expect(emails).toMatchObject([{ primary: false }, {}, { primary: true }])
  })

  test.each<[string, string, JsonValue]>([
    ['without operations', '400 invalidSyntax', []],
    ['with another verb', '400 invalidSyntax', [{ op: 'move', path: 'userName', value: 'x' }]],
    ['with an operation that is not an object', '400 invalidSyntax', ['add']],
    ['with a path that is not a text', '400 invalidPath', [{ op: 'add', path: 5, value: 'x' }]],
    ['of an unknown attribute', '400 invalidPath', [{ op: 'add', path: 'shoeSize', value: 5 }]],
    ['of an unknown part', '400 invalidPath', [{ op: 'add', path: 'name.nick', value: 'x' }]],
    ['of an unknown schema', '400 invalidPath', [{ op: 'add', path: 'urn:example:thing:userName', value: 'x' }]],
    ['with a filter on a single value', '400 invalidPath', [{ op: 'add', path: 'userName[a eq "b"]', value: 'x' }]],
    ['of the id', '400 mutability', [{ op: 'replace', path: 'id', value: 'x' }]],
    ['of meta', '400 mutability', [{ op: 'replace', value: { meta: {} } }]],
    ['of groups', '400 mutability', [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }]],
    ['that removes without a path', '400 noTarget', [{ op: 'remove' }]],
    [
      'that replaces what is not there',
      '400 noTarget',
      [{ op: 'replace', path: 'emails[type eq "fax"].value', value: 'x' }],
    ],
    ['without a value', '400 invalidValue', [{ op: 'replace', path: 'userName' }]],
    ['with a value of another type', '400 invalidValue', [{ op: 'replace', path: 'active', value: 'perhaps' }]],
    ['with a number as a name', '400 invalidValue', [{ op: 'replace', path: 'userName', value: 5 }]],
    ['with a name of 10 KB', '400 invalidValue', [{ op: 'replace', path: 'userName', value: 'x'.repeat(10_240) }]],
    [
      'with 21 addresses',
      '400 invalidValue',
      [{ op: 'add', path: 'emails', value: Array.from({ length: 21 }, (_, i) => ({ value: `${i}@x` })) }],
    ],
    [
      'with two primary values',
      '400 invalidValue',
      [
        {
          op: 'replace',
          path: 'emails',
          value: [
            { value: 'a', primary: true },
            { value: 'b', primary: true },
          ],
        },
      ],
    ],
  ])('%s is %s', (_name, expected, operations) => {
    expect(typeOf(() => patch(operations))).toBe(expected)
  })

  test('without the schema of a patch is 400 invalidSyntax', () => {
    expect(typeOf(() => readPatch({ schemas: [userSchema.id], Operations: [] }))).toBe('400 invalidSyntax')
    for (const body of [null, 5, 'x', []]) expect(typeOf(() => readPatch(body))).toBe('400 invalidSyntax')
  })
})
