import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringFinder } from './find-strings.ts'

test('finds the same string as a search for each of them in turn', () => {
  // Few letters and a surrogate pair, so that strings overlap, repeat and contain one another.
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u{1f600}'), maxLength: 12 })
  const strings = fc.array(
    text.filter((one) => one !== ''),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(strings, text, (all, searched) => {
      expect(stringFinder(all)(searched)).toBe(all.findIndex((one) => searched.includes(one)))
    }),
    { numRuns: 5000 },
  )
})

test.each([
  ['a string that is the ending of another', ['abcd', 'bc'], 'xabcx', 1],
  ['a string that continues another', ['abc', 'ab'], 'abc', 0],
  ['the first of two at one place', ['b', 'ab'], 'ab', 0],
  ['none', ['abc'], 'abab', -1],
  ['no strings', [], 'a', -1],
])('finds %s', (_case, strings, text, expected) => {
  expect(stringFinder(strings)(text)).toBe(expected)
})
