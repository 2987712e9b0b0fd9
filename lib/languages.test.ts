import { expect, test } from 'vitest'
import { chosenLanguage, LANGUAGE_COOKIE, languageCookie, preferredLanguage } from './languages.ts'

const both = ['en', 'de'] as const

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr, en;q=0.5, de;q=0.7', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['de;q=0, en', 'en'],
  ['fr', undefined],
  ['*', undefined],
  ['de;q=x', undefined],
  ['', undefined],
  [undefined, undefined],
])('of English and German, a browser that accepts %j prefers %s', (accepted, expected) => {
  expect(preferredLanguage(accepted, both)).toBe(expected)
})

test('a language that is not offered is not preferred', () => {
  expect(preferredLanguage('de', ['en'])).toBeUndefined()
})

test('the cookie carries the choice, and an unknown one is ignored', () => {
  expect(chosenLanguage(`other=1; ${LANGUAGE_COOKIE}=de; last=2`)).toBe('de')
  expect(chosenLanguage(`${LANGUAGE_COOKIE}=xx`)).toBeUndefined()
  expect(chosenLanguage(`not-${LANGUAGE_COOKIE}=de`)).toBeUndefined()
  expect(chosenLanguage(undefined)).toBeUndefined()
  expect(chosenLanguage(languageCookie('de', true))).toBe('de')
  expect(languageCookie('de', true)).toMatch(/; Secure$/)
  expect(languageCookie(undefined, false)).toBe('countersign-language=; Path=/; Max-Age=0; SameSite=Lax')
})
