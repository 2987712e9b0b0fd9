import { expect, test } from 'vitest'
import { LANGUAGE_COOKIE } from '#lib/languages.ts'
import { html } from '#server/identity/pages/html.ts'
import { renderPage } from '#server/identity/pages/page.ts'
import { passwordProblem } from '#server/identity/passwords/password-problem.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { readerOf } from './reader.ts'

const realm = (language?: 'en' | 'de'): Realm => ({
  tenantId: 't',
  slug: 'northwind',
  externalId: 'ext-northwind',
  displayName: 'Northwind Mutual',
  accentColor: undefined,
  language,
  url: 'http://localhost/realms/northwind',
})

const cookie = (language: string) => `a=b; ${LANGUAGE_COOKIE}=${language}`

test.each([
  ['what was chosen in this browser', 'en', { cookie: cookie('de'), 'accept-language': 'en' }, 'de'],
  ['the organisation’s', 'de', { 'accept-language': 'en' }, 'de'],
  ['what the last account read', 'en', { cookie: cookie('de.account') }, 'de'],
  ['what the browser prefers', undefined, { 'accept-language': 'fr, de;q=0.8, en;q=0.5' }, 'de'],
  ['English, if nothing else is known', undefined, {}, 'en'],
  ['English, if the browser asks for others', undefined, { 'accept-language': 'fr' }, 'en'],
  ['not that of tests', undefined, { cookie: cookie('en-XA') }, 'en'],
] as const)('pages are in %s', (_, ofRealm, headers, expected) => {
  const reader = readerOf(realm(ofRealm), headers)
  expect(reader.language).toBe(expected)
  expect(renderPage(reader, { title: 'x', body: html`` }).text).toContain(`<html lang="${expected}">`)
})

test('a refused password is explained in the language of the page', () => {
  const owner = { username: 'maria', displayName: 'Maria Köhler', email: null }
  const refused = (language: 'en' | 'de') =>
    passwordProblem(readerOf(realm(language), {}), owner, { password: 'short', again: 'short' })
  expect([refused('en'), refused('de')]).toEqual([
    'Use at least 12 characters.',
    'Verwenden Sie mindestens 12 Zeichen.',
  ])
})

test('no German text is English', () => {
  const texts = (words: unknown, path = ''): [string, string][] => {
    if (typeof words === 'string') return [[path, words]]
    if (typeof words === 'function') return [[path, said(words(html`{a}`, html`{b}`))]]
    return Object.entries(words as object).flatMap(([name, value]) => texts(value, `${path}.${name}`))
  }
  const said = (value: unknown) => (typeof value === 'string' ? value : (value as { text: string }).text)
  const inEnglish = new Map(texts(english))
  const inGerman = texts(german)
  expect(inGerman).toHaveLength(inEnglish.size)
  const same = inGerman.filter(([path, text]) => inEnglish.get(path) === text).map(([path]) => path)
  expect(same).toEqual(['.consent.agent', '.problems.code'])
})
