import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizationRequest } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

// The public address is https, as behind an operator's proxy; the server itself speaks plain HTTP.
let server: IdentityServer
let northwind: TestRealm

beforeAll(async () => {
  server = await identityServer({ AUTH_URL: 'https://countersign.example' })
  northwind = await testRealm(server, 'northwind')
})
afterAll(() => server.close())

const cookiesOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).headers.getSetCookie()

test('at an https address every cookie is for https only, hidden from scripts, and not sent from other sites', async () => {
  const cookies = await cookiesOf(authorizationRequest(northwind.realmUrl).url)
  expect(cookies.length).toBeGreaterThan(2)
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^__Secure-cs_northwind_\w+(\.sig)?=[\w-]+; /)
    const attributes = cookie.toLowerCase().split('; ').slice(1)
    for (const wanted of ['secure', 'httponly', 'samesite=lax']) expect(attributes).toContain(wanted)
    expect(attributes.find((one) => one.startsWith('path='))).toMatch(/^path=\/realms\/northwind(\/|$)/)
    expect(attributes.some((one) => one.startsWith('domain='))).toBe(false)
  }
})

test('a caller can’t turn that off with a header', async () => {
  const { url } = authorizationRequest(northwind.realmUrl)
  const headers = { 'x-forwarded-proto': 'http', forwarded: 'proto=http' }
  const answer = await fetch(url, { redirect: 'manual', headers })
  const cookies = answer.headers.getSetCookie()
  expect(cookies.length).toBeGreaterThan(2)
  expect(cookies.filter((cookie) => !/; secure/i.test(cookie))).toEqual([])
})
