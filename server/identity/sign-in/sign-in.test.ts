import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyBearer } from '#server/kernel/auth/bearer.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import type { Prover } from '#server/testing/auth/dpop.ts'
import {
  authorizationRequest,
  consoleClient,
  type PublicClient,
  refresh,
  sendSignIn,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { asOwner } from '#server/testing/owner.ts'

let server: IdentityServer
let northwind: TestRealm
let maria: { userId: string; password: string }
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  maria = await northwind.person('maria', ['developer', 'approver'])
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())

const requestPage = async (browser: Browser, parameters: Record<string, string> = {}) =>
  browser.follow(await browser.visit(authorizationRequest(northwind.realmUrl, undefined, parameters).url))

describe('a person signs in', () => {
  test('on the command line and gets a token with their roles', async () => {
    const tokens = await signIn(server.url, 'northwind', 'maria', maria.password)
    expect(tokens.expiresIn).toBe(1800)
    expect(tokens.scope).toBe('openid profile email')
    expect(await verifyBearer(`Bearer ${tokens.accessToken}`)).toMatchObject({
      issuer: '/realms/northwind',
      subject: maria.userId,
      tenantExternalId: 'ext-northwind',
      roles: ['developer', 'approver'],
      username: 'maria',
      authorizedParty: 'countersign-cli',
    })
    expect(decodeJwt(tokens.accessToken)).toMatchObject({
      aud: 'countersign',
      azp: 'countersign-cli',
      name: 'maria of northwind',
      email: 'maria@northwind.example',
      preferred_username: 'maria',
    })
  })

  test('on the console, with an id_token that identifies them', async () => {
    const tokens = await signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole })
    expect(decodeJwt(tokens.idToken)).toMatchObject({
      iss: northwind.realmUrl,
      aud: 'countersign-console',
      sub: maria.userId,
      name: 'maria of northwind',
      preferred_username: 'maria',
      email: 'maria@northwind.example',
      tenant: 'ext-northwind',
    })
  })

  test('with a name in any case and with surrounding spaces', async () => {
    const tokens = await signIn(server.url, 'northwind', ' MARIA ', maria.password)
    expect(decodeJwt(tokens.accessToken).sub).toBe(maria.userId)
  })

  test('once for several tabs of the console, but every time for the command line', async () => {
    const browser = new Browser()
    await signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole, browser })
    const again = authorizationRequest(northwind.realmUrl, atConsole)
    const answer = await browser.follow(await browser.visit(again.url), atConsole.redirectUri)
    expect(answer.location).toMatch(/[?&]code=/)
    const page = await requestPage(browser)
    expect(page.text).toContain('<form method="post"')
    expect(page.text).toContain('This signs in the command line')
  })

  test('in two tabs concurrently', async () => {
    const browser = new Browser()
    const requests = [authorizationRequest(northwind.realmUrl), authorizationRequest(northwind.realmUrl)]
    const pages = await Promise.all(requests.map(async ({ url }) => browser.follow(await browser.visit(url))))
    for (const page of pages) {
      const visit = await browser.follow(
        await sendSignIn(browser, page, 'maria', maria.password),
        'http://127.0.0.1:49152/',
      )
      expect(visit.location).toMatch(/[?&]code=/)
    }
  })
})

describe('the sign-in page', () => {
  test('can be used with a keyboard, a screen reader and a password manager', async () => {
    const { text, status, headers } = await requestPage(new Browser(), { login_hint: 'ma"ria<' })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).toContain('<html lang="en">')
    expect(text).toContain('<label for="username">')
    expect(text).toMatch(/<input id="username"[^>]* autofocus autocomplete="username"/)
    expect(text).toContain('<label for="password">')
    expect(text).toMatch(/<input id="password"[^>]* type="password"[^>]* autocomplete="current-password"/)
    expect(text).toContain('value="ma&quot;ria&lt;"')
    expect(text).not.toContain('role="alert"')
  })

  test('allows no script and no frame, only its own style, and forms that lead back to the client', async () => {
    const { text, headers } = await requestPage(new Browser())
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ')
        return [name, values]
      }),
    )
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    expect(policy).toEqual({
      'default-src': ["'none'"],
      'style-src': [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
      'script-src': [],
      'font-src': ["'self'"],
      'img-src': ["'self'"],
      'form-action': ["'self'", 'http://127.0.0.1:49152'],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    })
    expect(text).not.toMatch(/<script|style="/)
  })

  test('uses a typeface that the realm serves and browsers may cache', async () => {
    const { text } = await requestPage(new Browser())
    const path = /url\((\/realms\/[^)]+\.woff2)\)/.exec(text)?.[1] ?? ''
    const answer = await fetch(new URL(path, server.url))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'font/woff2'])
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('wOF2')
  })

  test('shows the same message for an unknown name and for a wrong password', async () => {
    const answers = ['maria', 'unknown-user'].map(async (name) => {
      const browser = new Browser()
      const page = await sendSignIn(browser, await requestPage(browser), name, 'wrong')
      return { status: page.status, alert: /role="alert"[^>]*>([^<]*)</.exec(page.text)?.[1] }
    })
    const [known, unknown] = await Promise.all(answers)
    expect(known).toEqual({
      status: 200,
      alert: 'The user name or the password is wrong. Your user name may differ from your mail address.',
    })
    expect(unknown).toEqual(known)
  })

  test('is rejected without its cookies and from another site', async () => {
    const browser = new Browser()
    const page = await requestPage(browser)
    const elsewhere = await sendSignIn(new Browser(), page, 'maria', maria.password)
    expect([elsewhere.status, elsewhere.location]).toEqual([400, undefined])
    expect(elsewhere.text).toContain('no longer valid')
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const cookie = browser.cookies(action).map(({ name, value }) => `${name}=${value}`)
    const body = new URLSearchParams({ username: 'maria', password: maria.password })
    const send = (headers: Record<string, string>) =>
      fetch(action, { method: 'POST', redirect: 'manual', body, headers: { cookie: cookie.join('; '), ...headers } })
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ origin: server.url, 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  })

  test('rejects a body that is not a form, and a large one', async () => {
    const browser = new Browser()
    const page = await requestPage(browser)
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const cookie = browser
      .cookies(action)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const json = { cookie, 'content-type': 'application/json' }
    expect((await fetch(action, { method: 'POST', headers: json, body: '{}' })).status).toBe(415)
    const large = new URLSearchParams({ username: 'maria', password: 'x'.repeat(40_000) })
    expect((await fetch(action, { method: 'POST', headers: { cookie }, body: large })).status).toBe(413)
    expect((await fetch(action, { method: 'PUT', headers: { cookie } })).status).toBe(405)
  })

  test('blocks guessing: after ten failures even the right password is refused, but not from another address', async () => {
    const tom = await northwind.person('tom', [])
    const browser = new Browser()
    const page = await requestPage(browser)
    for (let failure = 0; failure < 10; failure++) {
      expect((await sendSignIn(browser, page, 'tom', 'wrong')).status).toBe(200)
    }
    const blocked = await sendSignIn(browser, page, 'tom', tom.password)
    expect(blocked.status).toBe(429)
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await sendSignIn(browser, page, 'maria', maria.password)).status).toBe(303)
  })
})

describe('an account', () => {
  test('that is disabled gets the same message as a wrong password', async () => {
    const gone = await northwind.person('gone', [])
    await asOwner(server.runtime, 'update realm_users set disabled_at = now() where tenant_id = $1 and id = $2', [
      northwind.id,
      gone.userId,
    ])
    const browser = new Browser()
    const page = await sendSignIn(browser, await requestPage(browser), 'gone', gone.password)
    expect(page.text).toContain('The user name or the password is wrong.')
  })

  test('without an active membership gets no token, not even with an earlier session', async () => {
    const vera = await northwind.person('vera', ['auditor'])
    const browser = new Browser()
    const tokens = await signIn(server.url, 'northwind', 'vera', vera.password, { client: atConsole, browser })
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('members')
        .set({ status: 'suspended' })
        .where('tenantId', '=', northwind.id)
        .where('subject', '=', vera.userId)
        .execute(),
    )
    const renewed = await refresh(northwind.realmUrl, tokens.refreshToken, atConsole)
    expect([renewed.status, (await renewed.json()).error]).toEqual([400, 'invalid_grant'])
    const request = authorizationRequest(northwind.realmUrl, atConsole)
    const page = await browser.follow(await browser.visit(request.url), atConsole.redirectUri)
    expect(page.text).toContain('<form method="post"')
    const refused = await sendSignIn(browser, page, 'vera', vera.password)
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('not an active member')
  })

  test('has its password in the database only as an Argon2id hash', async () => {
    const rows = await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx.selectFrom('realmUsers').selectAll().where('tenantId', '=', northwind.id).execute(),
    )
    expect(JSON.stringify(rows)).not.toContain(maria.password)
    for (const row of rows)
      expect(row.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  })
})
