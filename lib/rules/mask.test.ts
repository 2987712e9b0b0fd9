import { describe, expect, test } from 'vitest'
import { isMasked, maskValue, parsePath, sensitiveStrings } from './mask.ts'

const paths = [
  { path: '$.customer.email', class: 'pii.email' },
  { path: '$.items[*].iban', class: 'pii.iban' },
]
const email = { $masked: { class: 'pii.email', length: 19 } }

test('what stands at a sensitive path is replaced by its class and length, the rest stays', () => {
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

test('the same string is masked wherever else it turns up', () => {
  const known = sensitiveStrings({ customer: { email: 'elif@mail.example.x' } }, paths)
  expect(
    maskValue({ note: 'sent to elif@mail.example.x', to: ['elif@mail.example.x'], other: 'x' }, paths, known),
  ).toEqual({
    note: { $masked: { class: 'pii.email', length: 27 } },
    to: [email],
    other: 'x',
  })
})

test('numbers, objects and arrays at a sensitive path are masked whole', () => {
  for (const value of [5, true, null, { a: 'b' }, ['a']]) {
    const masked = maskValue({ customer: { email: value } }, paths) as { customer: { email: never } }
    expect(isMasked(masked.customer.email)).toBe(true)
  }
})

test('keys such as __proto__ stay keys', () => {
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
  ])('%s is read', (path, steps) => {
    expect(parsePath(path)).toEqual(steps)
  })
  test.each(['a.b', '$', '$.', '$..a', '$.a[0]', '$.a b', '$.a[?(@.b)]'])('%s is refused', (path) => {
    expect(parsePath(path)).toBeUndefined()
  })
})
