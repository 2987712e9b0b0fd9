import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorizationRequest, authorize, exchangeCode, readTokens, refresh } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
let northwind: TestRealm
let maria: { userId: string; password: string }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  maria = await northwind.person('maria', ['developer'])
})
afterAll(() => server.close())

describe('an authorization code', () => {
  test('works once; using it again ends the tokens of the first use', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    const tokens = await readTokens(await exchangeCode(request, code))
    const replay = await exchangeCode(request, code)
    expect([replay.status, (await replay.json()).error]).toEqual([400, 'invalid_grant'])
    const renewed = await refresh(northwind.realmUrl, tokens.refreshToken)
    expect(renewed.status).toBe(400)
  })

  test('serves at most one of many concurrent requests', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchangeCode(request, code)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const others = answers.filter(({ status }) => status !== 200)
    for (const answer of others) expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_grant'])
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another port than at the start', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['another client', { client_id: 'countersign-console' }, 'invalid_grant'],
  ])('is refused with %s', async (_name, changes, error) => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    const answer = await exchangeCode(request, code, changes)
    expect([answer.status, (await answer.json()).error]).toEqual([400, error])
  })

  test('expires within a minute', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const begun = Date.now()
    await authorize(new Browser(), request, 'maria', maria.password)
    const codes = await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .selectFrom('realmArtifacts')
        .select('expiresAt')
        .where('tenantId', '=', northwind.id)
        .where('model', '=', 'AuthorizationCode')
        .where('expiresAt', '>', new Date(begun))
        .execute(),
    )
    expect(codes.length).toBeGreaterThan(0)
    for (const { expiresAt } of codes) expect(Number(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
  })

  test('is refused when it has expired', async () => {
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('realmArtifacts')
        .set({ expiresAt: new Date(Date.now() - 1) })
        .where('tenantId', '=', northwind.id)
        .where('model', '=', 'AuthorizationCode')
        .execute(),
    )
    const answer = await exchangeCode(request, code)
    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_grant'])
  })
})

describe('an authorization request', () => {
  const visit = async (client: { clientId: string; redirectUri: string }, parameters: Record<string, string>) => {
    const request = authorizationRequest(northwind.realmUrl, client, parameters)
    const browser = new Browser()
    return browser.follow(await browser.visit(request.url), 'http://127.0.0.1')
  }
  const cli = { clientId: 'countersign-cli', redirectUri: 'http://127.0.0.1:49152/callback' }

  test.each([
    'http://127.0.0.1:49152/other',
    'http://localhost:49152/callback',
    'https://127.0.0.1:49152/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://evil.example/callback',
    'http://127.0.0.1:49152/callback#x',
  ])('shows an error page and does not redirect to %s', async (redirectUri) => {
    const page = await visit({ ...cli, redirectUri }, {})
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.text).toContain('role="alert"')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('of the console accepts only its registered address', async () => {
    const page = await visit({ clientId: 'countersign-console', redirectUri: 'http://127.0.0.1:1/auth/callback' }, {})
    expect([page.status, page.location]).toEqual([400, undefined])
  })

  test('may use any port of the loopback address', async () => {
    const page = await visit({ ...cli, redirectUri: 'http://127.0.0.1:65535/callback' }, {})
    expect(page.text).toContain('<form method="post"')
  })

  test.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for an implicit token', { response_type: 'token' }, 'invalid_request'],
    ['for another resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
    ['that forbids a sign-in page, without a session', { prompt: 'none' }, 'login_required'],
  ])('%s is refused', async (_name, parameters, error) => {
    const { location = '' } = await visit(cli, parameters)
    // The response to an implicit request comes in the fragment, refused or not.
    expect(new URL(location.replace('#', '?')).searchParams.get('error')).toBe(error)
  })

  test('of an unknown client shows an error page with the request’s text escaped', async () => {
    const page = await visit({ clientId: '<script>alert(1)</script>', redirectUri: 'http://127.0.0.1:1/callback' }, {})
    expect(page.status).toBe(400)
    expect(page.text).not.toContain('<script')
  })
})

test('an answer in a form of the library, which no client may ask for, is refused with the realm’s page', async () => {
  const { url } = authorizationRequest(northwind.realmUrl, undefined, { response_mode: 'form_post' })
  const response = await fetch(url, { redirect: 'manual' })
  const page = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  expect(page).toContain('Unsupported response_mode requested.')
  expect(page).not.toMatch(/<script|<form|Submitting/)
  expect(response.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*sha256-/)
})
