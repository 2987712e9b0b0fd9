import { expect, test } from 'vitest'
import { keptLanguage, LANGUAGE_COOKIE, languageCookie, preferredLanguage } from './languages.ts'

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

test('the cookie carries a language and whose it is, and an unknown one is ignored', () => {
  const chosen = { language: 'de', from: 'browser' } as const
  const accounts = { language: 'de', from: 'account' } as const
  expect(keptLanguage(`other=1; ${LANGUAGE_COOKIE}=de; last=2`)).toEqual(chosen)
  expect(keptLanguage(`${LANGUAGE_COOKIE}=xx`)).toBeUndefined()
  expect(keptLanguage(`not-${LANGUAGE_COOKIE}=de`)).toBeUndefined()
  expect(keptLanguage(undefined)).toBeUndefined()
  expect(keptLanguage(languageCookie(chosen, true))).toEqual(chosen)
  expect(keptLanguage(languageCookie(accounts, true))).toEqual(accounts)
  expect(languageCookie(chosen, true)).toMatch(/; Secure$/)
  expect(languageCookie(undefined, false)).toBe('countersign-language=; Path=/; Max-Age=0; SameSite=Lax')
})
