import { describe, expect, test } from 'vitest'
import { argumentRows } from './effect.ts'
import { maskerWith, maskValue, parsePath, sensitiveStrings } from './mask.ts'
import { isMasked } from './masked.ts'

const paths = [
  { path: '$.customer.email', class: 'pii.email' },
  { path: '$.items[*].iban', class: 'pii.iban' },
]
const email = { $masked: { class: 'pii.email', length: 19 } }

test('replaces the values at sensitive paths by their class and length, and keeps the rest', () => {
  const value = {
    id: 'A-1',
    customer: { email: 'elif@mail.example.x', id: 'C-1' },
    items: [{ iban: 'DE123', n: 1 }, 2],
  }
  expect(maskValue(value, paths)).toEqual({
    id: 'A-1',
    customer: { email, id: 'C-1' },
    items: [{ iban: { $masked: { class: 'pii.iban', length: 5 } }, n: 1 }, 2],
  })
})

test('masks the same string wherever else it occurs', () => {
  const known = sensitiveStrings({ customer: { email: 'elif@mail.example.x' } }, paths)
  expect(
    maskValue({ note: 'sent to elif@mail.example.x', to: ['elif@mail.example.x'], other: 'x' }, paths, known),
  ).toEqual({
    note: { $masked: { class: 'pii.email', length: 27 } },
    to: [email],
    other: 'x',
  })
})

test('masks numbers, objects and arrays at a sensitive path as a whole', () => {
  for (const value of [5, true, null, { a: 'b' }, ['a']]) {
    const masked = maskValue({ customer: { email: value } }, paths) as { customer: { email: never } }
    expect(isMasked(masked.customer.email)).toBe(true)
  }
})

test('a value may have as many sensitive strings as a body can contain, and as many texts to search', () => {
  // Searching each text for each string compares 800 million pairs, which takes minutes; one pass takes less than a second.
  const count = 20_000
  const secret = (index: number) => `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${index}x`
  const list = <T>(make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
  const known = new Map(list((index) => [secret(index), 'pii.email']))
  const notes = list((index) => `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${index}y`)
  const mask = maskerWith(paths, known)
  expect(mask([...notes, `of ${secret(19_999)}`])).toEqual([
    ...notes,
    { $masked: { class: 'pii.email', length: secret(19_999).length + 3 } },
  ])
  const items = list((index) => ({ iban: secret(index), note: notes[index] ?? '' }))
  const masked = maskValue({ items }, paths) as { items: { note: string }[] }
  expect(masked.items.map(({ note }) => note)).toEqual(notes)
}, 10_000)

test('a string that is sensitive here and elsewhere has its class from here', () => {
  const known = new Map([['elif@mail.example.x', 'other']])
  const value = { customer: { email: 'elif@mail.example.x' }, note: 'elif@mail.example.x' }
  expect(maskValue(value, paths, known)).toEqual({ customer: { email }, note: email })
})

test('keeps keys such as __proto__ as keys', () => {
  const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "customer": {"email": "abc"}}')
  expect(JSON.stringify(maskValue(value, paths))).toBe(
    '{"__proto__":{"a":1},"constructor":2,"customer":{"email":{"$masked":{"class":"pii.email","length":3}}}}',
  )
})

describe('paths', () => {
  test.each([
    ['$.a.b', ['a', 'b']],
    ['$.a[*].b', ['a', '*', 'b']],
    ['$[*]', ['*']],
  ])('%s is parsed', (path, steps) => {
    expect(parsePath(path)).toEqual(steps)
  })
  test.each(['a.b', '$', '$.', '$..a', '$.a[0]', '$.a b', '$.a[?(@.b)]'])('%s is rejected', (path) => {
    expect(parsePath(path)).toBeUndefined()
  })
})

describe('a value that looks like the marker of a masked one', () => {
  const sent = { $masked: { class: 'pii.email', length: 19 } }

  test('is told apart from ours at every depth, also when it is escaped already', () => {
    const shown = maskValue(
      { note: sent, list: [sent, { $$masked: 1 }], customer: { email: 'elif@mail.example.x' } },
      paths,
    )
    expect(shown).toEqual({
      note: { $$masked: sent.$masked },
      list: [{ $$masked: sent.$masked }, { $$$masked: 1 }],
      customer: { email: { $masked: { class: 'pii.email', length: 19 } } },
    })
    expect(isMasked(maskValue(sent, []))).toBe(false)
    expect(maskValue({ $masked: 'x', masked: 1, $maskedToo: 2 }, [])).toEqual({
      $$masked: 'x',
      masked: 1,
      $maskedToo: 2,
    })
  })

  test('is shown to an approver as what was sent', () => {
    expect(argumentRows(maskValue({ iban: sent }, paths))).toEqual([
      { path: 'iban.$$masked.class', value: 'pii.email' },
      { path: 'iban.$$masked.length', value: 19 },
    ])
  })

  test('is masked as a whole at a sensitive path, with its own length', () => {
    expect(maskValue({ customer: { email: sent } }, paths)).toEqual({
      customer: { email: { $masked: { class: 'pii.email', length: JSON.stringify(sent).length } } },
    })
  })
})
