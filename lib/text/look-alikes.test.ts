import { describe, expect, test } from 'vitest'
import { lookAlikes } from './look-alikes.ts'
import { countHidden, visibleParts } from './visible-text.ts'

const marked = (text: string) =>
  visibleParts(text)
    .map((part) => ('text' in part ? part.text : `[${part.letter}=${part.name}]`))
    .join('')

describe('a character that looks like another one is marked', () => {
  test.each([
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p[\u0430=looks like “a”]ypal'],
    ['a Greek letter in a Latin word', 'n\u03bfrthwind', 'n[\u03bf=looks like “o”]rthwind'],
    ['an order number with a Cyrillic letter', '\u0410-1001', '[\u0410=looks like “A”]-1001'],
    [
      'a word of look-alikes only',
      'Refund to \u0441\u043e',
      'Refund to [\u0441=looks like “c”][\u043e=looks like “o”]',
    ],
    ['fullwidth digits', '\uff11\uff10 EUR', '[\uff11=looks like “1”][\uff10=looks like “0”] EUR'],
    ['mathematical letters', '\u{1d400}BC', '[\u{1d400}=looks like “A”]BC'],
    ['a letter of phonetics', '\u0261rants', '[\u0261=looks like “g”]rants'],
    ['a Latin word in a Cyrillic text', 'Счёт для p\u0430ypal', 'Счёт для p[\u0430=looks like “a”]ypal'],
  ])('%s', (_name, text, expected) => {
    expect(marked(text)).toBe(expected)
    expect(countHidden(text)).toBeGreaterThan(0)
  })
})

describe('a text of another alphabet is not marked', () => {
  test.each([
    'Счёт на оплату от Ивана',
    'Επιστροφή χρημάτων',
    'Köhler, İstanbul, Łódź, naïve, Straße',
    '5 μm, 3 Ω, m², H₂O, 1ª, №',
    '返金 ４２円'.normalize('NFKC'),
    'plain',
  ])('%s', (text) => {
    expect(lookAlikes(text).size).toBe(0)
  })
})
