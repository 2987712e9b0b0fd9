import { expect, test } from 'vitest'
import { scanJson } from './json-budget.ts'

const scan = (text: string, budget = { values: 10, depth: 3 }) => scanJson(Buffer.from(text), budget)

/** Values of what JSON.parse creates, and names of members. */
const created = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.entries(value).reduce((sum, [, inner]) => sum + created(inner) + (Array.isArray(value) ? 0 : 1), 1)

test.each([
  '1',
  '{}',
  '[[],[]]',
  '{"a":{"b":[1,2,"x"]}}',
  String.raw`["a,b","\"[{:,","\\"]`,
  ' [ 1 , { "a" : null } ] ',
])('counts at least what JSON.parse creates of %s, and at most one more for each list and object', (text) => {
  const containers = text.replaceAll(/"(\\.|[^"\\])*"/g, '').match(/[[{]/g)?.length ?? 0
  const exact = created(JSON.parse(text))
  expect(scan(text, { values: 100, depth: 10 })).toBeGreaterThanOrEqual(exact)
  expect(scan(text, { values: 100, depth: 10 })).toBeLessThanOrEqual(exact + containers)
})

test('refuses one value more than the budget with 413, and one level more with 400', () => {
  expect(scan(`[${Array(9).fill('1').join(',')}]`)).toBe(10)
  expect(() => scan(`[${Array(10).fill('1').join(',')}]`)).toThrow(expect.objectContaining({ status: 413 }))
  expect(scan('[[[1]]]')).toBe(4)
  expect(() => scan('[[[[1]]]]')).toThrow(expect.objectContaining({ status: 400 }))
})

test('characters in texts do not count, and a text without an end does not matter', () => {
  expect(scan(`"${'[{,:'.repeat(100)}"`)).toBe(1)
  expect(scan(`["${'\\"'.repeat(100)}`)).toBe(2)
})

test('many names are told apart, and two of one name are found among them', () => {
  const names = Array.from({ length: 100 }, (_, index) => `"n${index}":{"a":1}`)
  const budget = { values: 1000, depth: 3 }
  expect(scan(`{${names.join(',')}}`, budget)).toBe(401)
  for (const again of ['n0', 'n5', 'n99'])
    expect(() => scan(`{${names.join(',')},"${again}":1}`, budget)).toThrow(`${again}: Contains two members`)
})
