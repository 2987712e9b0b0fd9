import { expect, test } from 'vitest'
import { isJustification } from './justification.ts'

const sentence = 'A customer asked about it.'

test.each([
  ['a sentence', sentence],
  ['another script', '顧客が自分について何が保存されているかを尋ねました'],
  ['exactly 20 visible characters, 5 of them different', 'abcde'.repeat(4)],
  ['spaces around it, which don’t count', `${' '.repeat(2000)}${sentence}${' '.repeat(2000)}`],
  ['2,000 characters', 'abcde'.repeat(400)],
])('%s is a justification', (_name, text) => {
  expect(isJustification(text)).toBe(true)
})

test.each([
  ['an empty text', ''],
  ['19 visible characters', 'abcde'.repeat(4).slice(1)],
  ['19 visible characters with spaces', 'a b c d e '.repeat(4).slice(2)],
  ['four different characters', 'abcd'.repeat(10)],
  ['one character, repeated', 'x'.repeat(20)],
  ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'.repeat(10)],
  ['visible characters that zero-width ones pad', `abcde${'\u200b'.repeat(30)}`],
  ['bidirectional controls', '\u202a\u202b\u202c\u202d\u202e\u2066'.repeat(5)],
  ['spaces of five kinds', ' \u00a0\u2002\u3000\t\n'.repeat(10)],
  ['combining marks', '\u0301\u0302\u0303\u0304\u0305'.repeat(10)],
  ['2,001 characters', `${'abcde'.repeat(400)}f`],
])('%s is not a justification', (_name, text) => {
  expect(isJustification(text)).toBe(false)
})
