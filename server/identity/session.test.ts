import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyBearer } from '#server/kernel/auth/bearer.ts'
import { Browser } from '#server/testing/browser.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import {
  authorizationRequest,
  authorize,
  exchangeCode,
  readTokens,
  refresh,
  sendSignIn,
  signIn,
} from '#server/testing/sign-in.ts'
import { purgeExpired } from './artifacts/adapter.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let maria: { userId: string; password: string }
let mariaOfGlobex: { userId: string; password: string }
let consoleClient: { clientId: string; redirectUri: string }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  maria = await northwind.person('maria', ['developer'])
  mariaOfGlobex = await globex.person('maria', ['auditor'])
  consoleClient = { clientId: 'countersign-console', redirectUri: `${server.url}/auth/callback` }
})
afterEach(() => vi.useRealTimers())
afterAll(() => server.close())

const signInAtConsole = (browser = new Browser()) =>
  signIn(server.url, 'northwind', 'maria', maria.password, { client: consoleClient, browser })

const renew = (refreshToken: string, realm = northwind, clientId = 'countersign-console') =>
  refresh(realm.realmUrl, refreshToken, clientId)

const expectRefused = async (response: Response) => {
  expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_grant'])
}

/** Only the clock of this process moves; the database's stays. */
const at = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })

const artifacts = (realm: TestRealm) =>
  server.runtime.database.inTenant(realm.id, (tx) =>
    tx.selectFrom('realmArtifacts').selectAll().where('tenantId', '=', realm.id).execute(),
  )

describe('a refresh token', () => {
  test('gives new tokens and a new refresh token', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(second.scope).toBe('openid profile email')
    expect(decodeJwt(second.idToken)).toMatchObject({ sub: maria.userId, name: 'maria of northwind' })
    await expect(verifyBearer(`Bearer ${second.accessToken}`)).resolves.toMatchObject({ subject: maria.userId })
    expect((await renew(second.refreshToken)).status).toBe(200)
  })

  test('that comes again ends the whole family', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    await expectRefused(await renew(first.refreshToken))
    await expectRefused(await renew(second.refreshToken))
  })

  test('serves at most one of many who come at once, and leaves the family unusable', async () => {
    const { refreshToken } = await signInAtConsole()
    const answers = await Promise.all(Array.from({ length: 8 }, () => renew(refreshToken)))
    const served = answers.filter(({ status }) => status === 200)
    expect(served.length).toBeLessThanOrEqual(1)
    for (const answer of answers) if (answer.status !== 200) await expectRefused(answer)
    for (const answer of served) await expectRefused(await renew((await readTokens(answer)).refreshToken))
  })

  test('brings the roles of now, not those of the sign-in', async () => {
    const anna = await northwind.person('anna', ['approver'])
    const tokens = await signIn(server.url, 'northwind', 'anna', anna.password)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('members')
        .set({ roles: ['viewer'] })
        .where('tenantId', '=', northwind.id)
        .where('subject', '=', anna.userId)
        .execute(),
    )
    const renewed = await readTokens(await refresh(northwind.realmUrl, tokens.refreshToken))
    expect((await verifyBearer(`Bearer ${renewed.accessToken}`)).roles).toEqual(['viewer'])
  })

  test('is for the client that got it', async () => {
    const { refreshToken } = await signInAtConsole()
    await expectRefused(await renew(refreshToken, northwind, 'countersign-cli'))
    expect((await renew(refreshToken)).status).toBe(200)
  })

  test('lives for an hour without use', async () => {
    const { refreshToken } = await signInAtConsole()
    at(61 * 60_000)
    await expectRefused(await renew(refreshToken))
  })

  test('lives for twelve hours at most, however often it is renewed', async () => {
    let { refreshToken } = await signInAtConsole()
    for (let hours = 0; hours < 11; hours++) {
      at(59 * 60_000)
      refreshToken = (await readTokens(await renew(refreshToken))).refreshToken
    }
    at(59 * 60_000)
    refreshToken = (await readTokens(await renew(refreshToken))).refreshToken
    at(15 * 60_000)
    await expectRefused(await renew(refreshToken))
  })

  test('ends when it is revoked, and the answer has no type for its empty body', async () => {
    const { refreshToken } = await signInAtConsole()
    const body = new URLSearchParams({ token: refreshToken, client_id: 'countersign-console' })
    const url = `${northwind.realmUrl}/protocol/openid-connect/revoke`
    const answer = await fetch(url, { method: 'POST', body, headers: { origin: server.url } })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('content-type')).toBeNull()
    await expectRefused(await renew(refreshToken))
  })
})

describe('signing out', () => {
  const logout = (browser: Browser, parameters: Record<string, string>) =>
    browser.visit(`${northwind.realmUrl}/protocol/openid-connect/logout?${new URLSearchParams(parameters)}`)

  const confirm = async (browser: Browser, page: string) => {
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    return browser.visit(action, { xsrf, logout: 'yes' })
  }

  test('with the id_token goes by itself, ends session and tokens, and returns to the console', async () => {
    const browser = new Browser()
    const tokens = await signInAtConsole(browser)
    const page = await logout(browser, {
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: `${server.url}/signed-out`,
      state: 'abc',
    })
    expect(page.status).toBe(200)
    const script = /<script>([^<]+)<\/script>/.exec(page.text)?.[1]
    expect(script).toContain('.submit()')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+'/)
    expect(policy).toContain(`form-action 'self' ${server.url}`)
    const back = await confirm(browser, page.text)
    expect(back.location).toBe(`${server.url}/signed-out?state=abc`)
    await expectRefused(await renew(tokens.refreshToken))
    const again = authorizationRequest(northwind.realmUrl, consoleClient, { prompt: 'none' })
    const answer = await browser.follow(await browser.visit(again.url), consoleClient.redirectUri)
    expect(answer.location).toContain('error=login_required')
  })

  test('without the id_token asks first', async () => {
    const browser = new Browser()
    const tokens = await signInAtConsole(browser)
    const page = await logout(browser, {})
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('Sign out of northwind')
    expect((await renew(tokens.refreshToken)).status).toBe(200)
    const done = await browser.follow(await confirm(browser, page.text))
    expect(done.text).toContain('You are signed out')
    const request = authorizationRequest(northwind.realmUrl, consoleClient)
    expect((await browser.follow(await browser.visit(request.url))).text).toContain('<form method="post"')
  })

  test('with somebody else’s id_token asks first', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const jonas = await northwind.person('jonas', [])
    const his = await signIn(server.url, 'northwind', 'jonas', jonas.password, { client: consoleClient })
    const page = await logout(browser, { id_token_hint: his.idToken })
    expect(page.text).not.toContain('<script')
  })

  test.each(['https://evil.example/', '/signed-out', 'http://localhost:1/signed-out'])(
    'leads to no address that is not registered: %s',
    async (address) => {
      const browser = new Browser()
      const { idToken } = await signInAtConsole(browser)
      const page = await logout(browser, { id_token_hint: idToken, post_logout_redirect_uri: address })
      expect([page.status, page.location]).toEqual([400, undefined])
    },
  )

  test('needs the secret of its page', async () => {
    const browser = new Browser()
    const { idToken, refreshToken } = await signInAtConsole(browser)
    const page = await logout(browser, { id_token_hint: idToken })
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect((await browser.visit(action, { xsrf: 'guessed', logout: 'yes' })).status).toBe(400)
    expect((await renew(refreshToken)).status).toBe(200)
  })
})

describe('two realms', () => {
  test('do not take each other’s codes', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    await expectRefused(await exchangeCode({ ...request, realmUrl: globex.realmUrl }, code))
    expect((await exchangeCode(request, code)).status).toBe(200)
  })

  test('do not take each other’s refresh tokens', async () => {
    const { refreshToken } = await signInAtConsole()
    await expectRefused(await renew(refreshToken, globex))
    expect((await renew(refreshToken)).status).toBe(200)
  })

  test('do not take each other’s passwords', async () => {
    const request = authorizationRequest(globex.realmUrl)
    await expect(authorize(new Browser(), request, 'maria', maria.password)).rejects.toThrow(
      'No redirect to the client',
    )
    await expect(authorize(new Browser(), request, 'maria', mariaOfGlobex.password)).resolves.toEqual(
      expect.any(String),
    )
  })

  test('do not see each other’s cookies, and take them in no other clothes', async () => {
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
    const request = authorizationRequest(globex.realmUrl, consoleClient, { prompt: 'none' })
    const answer = await browser.follow(await browser.visit(request.url), consoleClient.redirectUri)
    expect(answer.location).toContain('error=login_required')
  })

  test('live beside each other in one browser', async () => {
    const browser = new Browser()
    const first = await signInAtConsole(browser)
    const second = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, {
      client: consoleClient,
      browser,
    })
    expect((await renew(first.refreshToken)).status).toBe(200)
    expect((await renew(second.refreshToken, globex)).status).toBe(200)
  })

  test('do not take each other’s id_token to sign somebody out', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const other = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, { client: consoleClient })
    const query = new URLSearchParams({ id_token_hint: other.idToken })
    const page = await browser.visit(`${northwind.realmUrl}/protocol/openid-connect/logout?${query}`)
    expect(page.status).toBe(400)
  })
})

describe('what is stored', () => {
  test('holds no code, no refresh token and no session cookie in clear', async () => {
    const browser = new Browser()
    const request = authorizationRequest(northwind.realmUrl, consoleClient)
    const code = await authorize(browser, request, 'maria', maria.password)
    const { refreshToken } = await readTokens(await exchangeCode(request, code))
    // A second sign-in page, begun with a session.
    const again = authorizationRequest(northwind.realmUrl, consoleClient, { prompt: 'login' })
    await browser.follow(await browser.visit(again.url))
    const cookies = browser.cookies(`${northwind.realmUrl}/x`).filter(({ name }) => name.endsWith('_session'))
    const rows = JSON.stringify(await artifacts(northwind))
    expect(cookies).toHaveLength(1)
    for (const secret of [code, refreshToken, ...cookies.map(({ value }) => value)]) expect(rows).not.toContain(secret)
    expect(rows).toContain(maria.userId)
  })

  test('is purged when it has expired, and only then', async () => {
    const { refreshToken } = await signInAtConsole()
    const { refreshToken: other } = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, {
      client: consoleClient,
    })
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('realmArtifacts')
        .set({ expiresAt: new Date(Date.now() - 1000) })
        .where('tenantId', '=', northwind.id)
        .where('model', '=', 'AuthorizationCode')
        .execute(),
    )
    const codes = (await artifacts(northwind)).filter(({ model }) => model === 'AuthorizationCode').length
    expect(codes).toBeGreaterThan(0)
    expect(await purgeExpired(northwind.id)).toBe(codes)
    expect(await purgeExpired(northwind.id)).toBe(0)
    expect((await renew(refreshToken)).status).toBe(200)
    expect((await renew(other, globex)).status).toBe(200)
  })

  test('can’t be signed in with after a restart of the browser session at another person’s page', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const jonas = await northwind.person('jonas-2', [])
    const request = authorizationRequest(northwind.realmUrl, consoleClient, { prompt: 'login' })
    const page = await browser.follow(await browser.visit(request.url))
    const sent = await browser.follow(
      await sendSignIn(browser, page, 'jonas-2', jonas.password),
      consoleClient.redirectUri,
    )
    // Another person than before: the provider first ends the old session by a form of its own, whose script its policy allows.
    expect(sent.text).toContain('Submitting Callback')
    expect(sent.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
    const action = /action="([^"]+)"/.exec(sent.text)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(sent.text)?.[1] ?? ''
    const end = await browser.follow(await browser.visit(action, { xsrf, logout: 'yes' }), consoleClient.redirectUri)
    const code = new URL(end.location ?? '').searchParams.get('code') ?? ''
    const tokens = await readTokens(await exchangeCode(request, code))
    expect(decodeJwt(tokens.accessToken).sub).toBe(jonas.userId)
  })
})
