import { describe, expect, test } from 'vitest'
import { ScimError } from './errors.ts'
import { parseFilter } from './filter.ts'
import { matches } from './matches.ts'
import { parsePath } from './path.ts'

const typeOf = (work: () => unknown): string | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`
    throw error
  }
  return undefined
}

describe('a filter', () => {
  test('binds "and" closer than "or", and brackets closer than both', () => {
    const element = { a: '1', b: '2', c: '3' }
    expect(matches(element, parseFilter('a eq "1" or b eq "0" and c eq "0"'))).toBe(true)
    expect(matches(element, parseFilter('(a eq "1" or b eq "0") and c eq "0"'))).toBe(false)
    expect(matches(element, parseFilter('not (a eq "0") and b pr and not (d pr)'))).toBe(true)
  })

  test('knows every operator of RFC 7644, in any case, and texts with quotation marks', () => {
    const element = { value: 'Say "hi"', number: '5' }
    for (const text of ['value EQ "say \\"HI\\""', 'value sw "Say"', 'value ew "\\""', 'value co "hi"', 'value ne "x"'])
      expect([text, matches(element, parseFilter(text))]).toEqual([text, true])
    for (const text of ['number gt "4"', 'number ge "5"', 'number lt "6"', 'number le "5"'])
      expect([text, matches(element, parseFilter(text))]).toEqual([text, true])
  })

  test('compares a boolean with the text that Entra ID writes', () => {
    expect(matches({ primary: true }, parseFilter('primary eq "True"'))).toBe(true)
    expect(matches({ primary: true }, parseFilter('primary eq true'))).toBe(true)
  })

  test.each([
    '',
    'userName',
    'userName eq',
    'userName eq bjensen',
    'userName is "bjensen"',
    'userName eq "bjensen',
    'userName eq "a" "b"',
    'userName eq "a" and',
    '(userName eq "a"',
    'userName eq "a")',
    '"userName" eq "a"',
    'userName eq {"a": 1}',
    'emails[type eq "work"]',
    `${'('.repeat(5000)}userName eq "a"${')'.repeat(5000)}`,
    `${'('.repeat(12)}userName eq "a"${')'.repeat(12)}`,
    Array.from({ length: 21 }, () => 'id eq "a"').join(' or '),
    `userName eq "${'x'.repeat(10_000)}"`,
  ])('that is not valid is 400 invalidFilter: %.40s', (text) => {
    expect(typeOf(() => parseFilter(text))).toBe('400 invalidFilter')
  })
})

describe('a path', () => {
  test('has a schema, an attribute, a filter and a part', () => {
    expect(parsePath('emails[type eq "work" and value ew "]"].value')).toMatchObject({
      attribute: 'emails',
      sub: 'value',
    })
    expect(parsePath('urn:ietf:params:scim:schemas:core:2.0:User:name.familyName')).toEqual({
      schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
      attribute: 'name',
      filter: undefined,
      sub: 'familyName',
    })
  })

  test.each([
    '',
    '.',
    'a.b.c',
    'members[',
    'members[value eq "2"',
    '[value eq "2"]',
    'members[value]',
    'a b',
    'x'.repeat(9999).concat(' '),
  ])('that is not valid is 400 invalidPath: %.40s', (text) =>
    expect(typeOf(() => parsePath(text))).toBe('400 invalidPath'),
  )
})
