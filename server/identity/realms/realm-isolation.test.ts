import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '#server/testing/auth/browser.ts'
import type { Prover } from '#server/testing/auth/dpop.ts'
import {
  authorizationRequest,
  authorize,
  consoleClient,
  exchangeCode,
  type PublicClient,
  refresh,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let maria: { userId: string; password: string }
let mariaOfGlobex: { userId: string; password: string }
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  maria = await northwind.person('maria', ['developer'])
  mariaOfGlobex = await globex.person('maria', ['auditor'])
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())

const signInAtConsole = (browser = new Browser()) =>
  signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole, browser })

const renew = (refreshToken: string, realm = northwind) => refresh(realm.realmUrl, refreshToken, atConsole)

const expectRefused = async (response: Response) => {
  expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_grant'])
}

describe('two realms', () => {
  test('refuse each other’s codes', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    await expectRefused(await exchangeCode({ ...request, realmUrl: globex.realmUrl }, code))
    expect((await exchangeCode(request, code)).status).toBe(200)
  })

  test('refuse each other’s refresh tokens', async () => {
    const { refreshToken } = await signInAtConsole()
    await expectRefused(await renew(refreshToken, globex))
    expect((await renew(refreshToken)).status).toBe(200)
  })

  test('refuse each other’s passwords', async () => {
    const request = authorizationRequest(globex.realmUrl)
    await expect(authorize(new Browser(), request, 'maria', maria.password)).rejects.toThrow(
      'No redirect to the client',
    )
    await expect(authorize(new Browser(), request, 'maria', mariaOfGlobex.password)).resolves.toEqual(
      expect.any(String),
    )
  })

  test('ignore each other’s cookies, even when they are renamed', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const page = `${globex.realmUrl}/protocol/openid-connect/auth`
    expect(browser.cookies(`${northwind.realmUrl}/protocol/openid-connect/auth`).length).toBeGreaterThan(0)
    expect(browser.cookies(page)).toEqual([])
    const disguised = browser
      .cookies(`${northwind.realmUrl}/protocol/openid-connect/auth`)
      .map((cookie) => ({ ...cookie, name: cookie.name.replace('northwind', 'globex'), path: '/realms/globex' }))
    browser.plant(disguised)
    expect(browser.cookies(page).map(({ name }) => name)).toContain('cs_globex_session')
    const request = authorizationRequest(globex.realmUrl, atConsole, { prompt: 'none' })
    const answer = await browser.follow(await browser.visit(request.url), atConsole.redirectUri)
    expect(answer.location).toContain('error=login_required')
  })

  test('work side by side in one browser', async () => {
    const browser = new Browser()
    const first = await signInAtConsole(browser)
    const second = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, {
      client: atConsole,
      browser,
    })
    expect((await renew(first.refreshToken)).status).toBe(200)
    expect((await renew(second.refreshToken, globex)).status).toBe(200)
  })

  test('refuse each other’s id_token as proof for signing out', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const other = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, { client: atConsole })
    const query = new URLSearchParams({ id_token_hint: other.idToken })
    const page = await browser.visit(`${northwind.realmUrl}/protocol/openid-connect/logout?${query}`)
    expect(page.status).toBe(400)
  })
})
