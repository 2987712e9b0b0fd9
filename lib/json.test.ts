import { expect, test } from 'vitest'
import { canonicalJson } from './jcs.ts'
import { definedOnly } from './json.ts'

test('members that are undefined are left out, so that the rest has a canonical form; other empty values stay', () => {
  const members = { a: undefined, b: null, c: '', d: 0, e: false, f: {} }
  expect(() => canonicalJson(members as never)).toThrow('/a is of type undefined')
  expect(canonicalJson(definedOnly(members))).toBe('{"b":null,"c":"","d":0,"e":false,"f":{}}')
})

test('a member named __proto__ is one like any other', () => {
  expect(Object.entries(definedOnly(JSON.parse('{"__proto__":{"a":1}}')))).toEqual([['__proto__', { a: 1 }]])
})
