import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '#server/routes.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import type { Prover } from '#server/testing/auth/dpop.ts'
import {
  authorizationRequest,
  commandLine,
  consoleClient,
  exchangeCode,
  type PublicClient,
  readTokens,
  refresh,
  sendSignIn,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
let northwind: TestRealm
let maria: { userId: string; password: string }
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  maria = await northwind.person('maria', ['developer'])
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())

const signInAtConsole = (browser = new Browser()) =>
  signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole, browser })

const renew = (refreshToken: string, client: Pick<PublicClient, 'clientId' | 'prover'> = atConsole) =>
  refresh(northwind.realmUrl, refreshToken, client)

const expectRefused = async (response: Response) => {
  expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_grant'])
}

async function statusWith(accessToken: string): Promise<number> {
  const url = `${server.url}/v1/session.me`
  const dpop = await atConsole.prover.prove({ url, accessToken })
  return (await api.fetch(new Request(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } }))).status
}

describe('signing out', () => {
  const logout = (browser: Browser, parameters: Record<string, string>) =>
    browser.visit(`${northwind.realmUrl}/protocol/openid-connect/logout?${new URLSearchParams(parameters)}`)

  const confirm = async (browser: Browser, page: string) => {
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    return browser.visit(action, { xsrf, logout: 'yes' })
  }

  test('with the id_token needs no confirmation, ends session and tokens, and returns to the console', async () => {
    const browser = new Browser()
    const tokens = await signInAtConsole(browser)
    expect(await statusWith(tokens.accessToken)).toBe(200)
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
    expect(await statusWith(tokens.accessToken)).toBe(401)
    const again = authorizationRequest(northwind.realmUrl, atConsole, { prompt: 'none' })
    const answer = await browser.follow(await browser.visit(again.url), atConsole.redirectUri)
    expect(answer.location).toContain('error=login_required')
  })

  test('without the id_token requires confirmation', async () => {
    const browser = new Browser()
    const tokens = await signInAtConsole(browser)
    const page = await logout(browser, {})
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('Sign out of northwind')
    expect((await renew(tokens.refreshToken)).status).toBe(200)
    const done = await browser.follow(await confirm(browser, page.text))
    expect(done.text).toContain('You are signed out')
    const request = authorizationRequest(northwind.realmUrl, atConsole)
    expect((await browser.follow(await browser.visit(request.url))).text).toContain('<form method="post"')
  })

  test('with another person’s id_token requires confirmation', async () => {
    const browser = new Browser()
    await signInAtConsole(browser)
    const jonas = await northwind.person('jonas', [])
    const his = await signIn(server.url, 'northwind', 'jonas', jonas.password, { client: atConsole })
    const page = await logout(browser, { id_token_hint: his.idToken })
    expect(page.text).not.toContain('<script')
  })

  test.each(['https://evil.example/', '/signed-out', 'http://localhost:1/signed-out'])(
    'never redirects to an unregistered address: %s',
    async (address) => {
      const browser = new Browser()
      const { idToken } = await signInAtConsole(browser)
      const page = await logout(browser, { id_token_hint: idToken, post_logout_redirect_uri: address })
      expect([page.status, page.location]).toEqual([400, undefined])
    },
  )

  test('requires the secret of its page', async () => {
    const browser = new Browser()
    const { idToken, refreshToken } = await signInAtConsole(browser)
    const page = await logout(browser, { id_token_hint: idToken })
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect((await browser.visit(action, { xsrf: 'guessed', logout: 'yes' })).status).toBe(400)
    expect((await renew(refreshToken)).status).toBe(200)
  })
})

describe('another person in the same browser', () => {
  test.each(['countersign-console', 'countersign-cli'])(
    'ends the previous person’s session, at %s',
    async (clientId) => {
      const browser = new Browser()
      const before = await signInAtConsole(browser)
      const name = `next-at-${clientId}`
      const next = await northwind.person(name, [])
      const client = clientId === 'countersign-cli' ? commandLine : atConsole
      const { redirectUri } = client
      const request = authorizationRequest(northwind.realmUrl, client, { prompt: 'login' })
      const page = await browser.follow(await browser.visit(request.url))
      const sent = await browser.follow(await sendSignIn(browser, page, name, next.password), redirectUri)
      // The library's form, submitted by the library's script: the page's policy must allow both, and the form's
      // redirect target.
      const policy = sent.headers.get('content-security-policy')
      expect(policy).toMatch(/script-src 'sha256-/)
      expect(policy).toMatch(new RegExp(`form-action 'self'[^;]* ${new URL(redirectUri).origin}(;| |$)`))
      const action = /action="([^"]+)"/.exec(sent.text)?.[1] ?? ''
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(sent.text)?.[1] ?? ''
      const end = await browser.follow(await browser.visit(action, { xsrf, logout: 'yes' }), redirectUri)
      const code = new URL(end.location ?? '').searchParams.get('code') ?? ''
      const tokens = await readTokens(await exchangeCode(request, code))
      expect(decodeJwt(tokens.accessToken).sub).toBe(next.userId)
      await expectRefused(await renew(before.refreshToken))
    },
  )
})
