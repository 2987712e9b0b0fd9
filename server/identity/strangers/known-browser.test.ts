import { randomBytes } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { createKnownBrowsers } from './known-browser.ts'

const northwind = { slug: 'northwind', url: 'https://countersign.example/realms/northwind' }
const key = randomBytes(32)
const browsers = createKnownBrowsers(northwind, [key])
/** What a browser sends back. */
const sent = (setCookie: string) => setCookie.split(';', 1)[0] ?? ''

afterEach(() => vi.useRealTimers())

test('a cookie identifies its browser for one account, and keeps the same id', () => {
  const cookie = sent(browsers.cookieFor(undefined, 'maria'))
  const id = browsers.idFor(`other=1; ${cookie}`, 'maria')
  expect(id).toMatch(/^[\w-]{16}$/)
  expect(browsers.idFor(cookie, 'jonas')).toBeUndefined()
  expect(browsers.idFor(sent(browsers.cookieFor(cookie, 'maria')), 'maria')).toBe(id)
  expect(browsers.idFor(undefined, 'maria')).toBeUndefined()
})

test('a cookie is for the form only: not readable by scripts, not sent by other sites, only over TLS', () => {
  expect(browsers.cookieFor(undefined, 'maria').split('; ').slice(1)).toEqual([
    'Path=/realms/northwind/interaction',
    'HttpOnly',
    'SameSite=Strict',
    'Max-Age=2592000',
    'Secure',
  ])
  expect(browsers.cookieFor(undefined, 'maria')).toMatch(/^__Secure-cs_northwind_known=/)
  const plain = createKnownBrowsers({ slug: 'northwind', url: 'http://localhost:3000/realms/northwind' }, [key])
  expect(plain.cookieFor(undefined, 'maria')).toMatch(
    /^cs_northwind_known=[^;]+; Path=[^;]+; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
  )
})

test('a cookie of another realm, another key, another account or a later time is ignored', () => {
  const cookie = sent(browsers.cookieFor(undefined, 'maria'))
  const globex = createKnownBrowsers({ slug: 'globex', url: 'https://countersign.example/realms/globex' }, [key])
  expect(globex.idFor(cookie.replace('northwind', 'globex'), 'maria')).toBeUndefined()
  expect(createKnownBrowsers(northwind, [randomBytes(32)]).idFor(cookie, 'maria')).toBeUndefined()
  expect(browsers.idFor(cookie.replace('=maria.', '=jonas.'), 'jonas')).toBeUndefined()
  expect(
    browsers.idFor(
      cookie.replace(/\.(\d+)\./, (_all, at) => `.${Number(at) + 1}.`),
      'maria',
    ),
  ).toBeUndefined()
  for (const text of ['', '=', '....', 'maria.x.9999999999.', `maria.x.9999999999.${'A'.repeat(43)}`])
    expect(browsers.idFor(`__Secure-cs_northwind_known=${text}`, 'maria')).toBeUndefined()
  vi.useFakeTimers({ now: Date.now() + 30 * 86_400_000 + 1000 })
  expect(browsers.idFor(cookie, 'maria')).toBeUndefined()
})

test('a cookie of an earlier key of the realm is valid', () => {
  const cookie = sent(browsers.cookieFor(undefined, 'maria'))
  expect(createKnownBrowsers(northwind, [randomBytes(32), key]).idFor(cookie, 'maria')).toBeDefined()
})

test('a shared browser is known for the five accounts that signed in last', () => {
  let cookie: string | undefined
  for (const account of ['one', 'two', 'three', 'four', 'five', 'six'])
    cookie = sent(browsers.cookieFor(cookie, account))
  const known = ['one', 'two', 'three', 'four', 'five', 'six'].filter(
    (account) => browsers.idFor(cookie, account) !== undefined,
  )
  expect(known).toEqual(['two', 'three', 'four', 'five', 'six'])
})
