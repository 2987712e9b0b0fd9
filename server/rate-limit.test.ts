import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callsStanding } from '#server/kernel/rate/limits.ts'
import { api } from '#server/routes.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import {
  authorizationRequest,
  authorize,
  exchangeCode,
  readTokens,
  refresh,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

// Over HTTP: the rate-limit headers of every response, and what happens when the budget is used up.

let server: IdentityServer
beforeAll(async () => {
  server = await identityServer({ RATE_LIMIT_PER_MINUTE: '20', TOKEN_RATE_LIMIT_PER_MINUTE: '6' })
})
afterAll(() => server.close())

const call = (path: string, token?: string, init: RequestInit = {}) =>
  Promise.resolve(
    api.fetch(
      new Request(`${server.url}${path}`, {
        ...init,
        headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
      }),
    ),
  )

const tokenOf = async (realm: TestRealm, clientSecret: string, clientId = 'ci-pipeline'): Promise<Response> =>
  fetch(`${realm.realmUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
  })

async function realmWithToken(slug: string): Promise<{ realm: TestRealm; token: string; clientSecret: string }> {
  const realm = await testRealm(server, slug)
  const { clientSecret } = await realm.service('ci-pipeline', ['viewer'])
  const { access_token: token } = (await (await tokenOf(realm, clientSecret)).json()) as { access_token: string }
  return { realm, token, clientSecret }
}

const remainingIn = (response: Response) => Number(/;r=(\d+);t=\d+$/.exec(response.headers.get('ratelimit') ?? '')?.[1])

describe('a tenant', () => {
  test('gets its remaining budget with every response, then 429 with the time to wait', async () => {
    const { token } = await realmWithToken('northwind')
    for (let left = 19; left >= 0; left--) {
      const answer = await call('/v1/session.me', token)
      expect([answer.status, remainingIn(answer)]).toEqual([200, left])
      expect(answer.headers.get('ratelimit-policy')).toBe('"tenant";q=20;w=60')
      expect(answer.headers.get('retry-after')).toBeNull()
    }
    const procedure = await call('/v1/session.me', token)
    expect([procedure.status, remainingIn(procedure)]).toEqual([429, 0])
    expect(await procedure.json()).toMatchObject({
      error: { json: { data: { code: 'TOO_MANY_REQUESTS', reason: 'rate_limited', retryable: true } } },
    })
    const route = await call('/v1/policies', token)
    expect([route.status, remainingIn(route)]).toEqual([429, 0])
    expect(await route.json()).toMatchObject({ code: 'rate_limited', retryable: true })
    for (const { headers } of [procedure, route]) {
      const seconds = Number(headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(30)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(headers.get('ratelimit')).toBe(`"tenant";r=0;t=${seconds}`)
    }
  })

  test('does not use up the budget of others', async () => {
    const globex = await realmWithToken('globex')
    const initech = await realmWithToken('initech')
    for (let calls = 0; calls < 25; calls++) await call('/v1/session.me', globex.token)
    expect((await call('/v1/session.me', globex.token)).status).toBe(429)
    expect((await call('/v1/session.me', initech.token)).status).toBe(200)
  })

  test('has its budget used only by its own members, not by strangers or members of another tenant', async () => {
    const hooli = await realmWithToken('hooli')
    const other = await realmWithToken('umbrella')
    const elsewhere = { headers: { 'x-svc-tenant-external-id': hooli.realm.externalId } }
    for (let calls = 0; calls < 30; calls++) {
      const stranger = await call('/v1/session.me', `${hooli.token}x`)
      expect(stranger.status).toBe(401)
      expect(stranger.headers.get('ratelimit-policy')).toBe('"tenant";q=20;w=60')
      expect((await call('/v1/session.me', other.token, elsewhere)).status).toBe(403)
    }
    expect(callsStanding(hooli.realm.id).remaining).toBe(20)
    expect((await call('/v1/session.me', hooli.token)).status).toBe(200)
  })

  test('pays for each call of a batch, and for errors as for successes', async () => {
    const { token, realm } = await realmWithToken('acme')
    const batch = await call('/v1/session.me,session.me,session.me?batch=1', token)
    expect(batch.status).toBe(200)
    expect(remainingIn(batch)).toBe(17)
    const refused = await call('/v1/agents.create', token, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    })
    expect([refused.status, remainingIn(refused)]).toEqual([403, 16])
    const missing = await call('/v1/policies/00000000-0000-4000-8000-000000000000/versions', token)
    expect([missing.status, remainingIn(missing)]).toEqual([404, 15])
    // Whatever length a batch claims, it counts as the ten calls that are allowed.
    const long = await call(`/v1/${Array.from({ length: 40 }, () => 'session.me').join(',')}?batch=1`, token)
    expect(long.status).toBeGreaterThanOrEqual(400)
    expect(callsStanding(realm.id).remaining).toBe(5)
  })
})

describe('the token endpoint', () => {
  test('serves a client up to its limit, then answers 429 with the time to wait', async () => {
    const { realm, clientSecret } = await realmWithToken('stark')
    for (let left = 4; left >= 0; left--) {
      const answer = await tokenOf(realm, clientSecret)
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"client";q=6;w=60'])
      expect(remainingIn(answer)).toBe(left)
    }
    const refused = await tokenOf(realm, clientSecret)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(/^Too many requests\. Try again in \d+ s\.$/),
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
    expect(refused.headers.get('cache-control')).toBe('no-store')
    // Another client of the same realm has its own budget.
    const other = await realm.service('other', ['viewer'])
    expect((await tokenOf(realm, other.clientSecret, 'other')).status).toBe(200)
  })

  test('counts wrong guesses against their source address, whichever clients they name', async () => {
    const { realm } = await realmWithToken('wayne')
    const { clientSecret } = await realm.service('new-here', ['viewer'])
    const guess = (name: string) => tokenOf(realm, 'wrong', name)
    for (let guesses = 0; guesses < 6; guesses++)
      expect((await guess(guesses % 2 === 0 ? 'new-here' : `invented-${guesses}`)).status).toBe(401)
    const refused = await guess('invented')
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"address";q=6;w=60'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
    expect((await tokenOf(realm, clientSecret, 'new-here')).status).toBe(429)
    // From another address of this machine the client is served.
    expect(await statusFrom('127.0.0.2', realm, 'new-here', clientSecret)).toBe(200)
  })

  test('serves a client where it has been served before, whatever strangers there have used up', async () => {
    const { realm, clientSecret } = await realmWithToken('kent')
    for (let guesses = 0; guesses < 8; guesses++) await tokenOf(realm, 'wrong', `invented-${guesses}`)
    expect((await tokenOf(realm, 'wrong', 'invented')).status).toBe(429)
    for (let guesses = 0; guesses < 20; guesses++) expect((await tokenOf(realm, 'wrong')).status).toBe(401)
    expect((await tokenOf(realm, clientSecret)).status).toBe(200)
  })

  test('does not count an attempt that was right', async () => {
    const realm = await testRealm(server, 'lane')
    for (let index = 0; index < 8; index++) {
      const { clientSecret } = await realm.service(`job-${index}`, ['viewer'])
      expect((await tokenOf(realm, clientSecret, `job-${index}`)).status).toBe(200)
    }
  })

  test.each(['code', 'refresh token'])(
    'beyond a person’s limit, leaves the %s unused, so that it can be sent again',
    async (kind) => {
      const slug = kind === 'code' ? 'olsen' : 'lang'
      const realm = await testRealm(server, slug)
      const { password } = await realm.person('maria', ['viewer'])
      const browser = new Browser()
      let tokens = await signIn(server.url, slug, 'maria', password, { browser })
      for (let more = 0; more < 5; more++) tokens = await readTokens(await refresh(realm.realmUrl, tokens.refreshToken))
      const asked = authorizationRequest(realm.realmUrl)
      const code = await authorize(browser, asked, 'maria', password)
      const send = () => (kind === 'code' ? exchangeCode(asked, code) : refresh(realm.realmUrl, tokens.refreshToken))
      const answer = await send()
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([429, '"client";q=6;w=60'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      // Neither used up nor, as after a second use, with its family ended.
      expect((await send()).status).toBe(429)
      const model = kind === 'code' ? 'AuthorizationCode' : 'RefreshToken'
      const unused = await server.runtime.database.inTenant(realm.id, (tx) =>
        tx
          .selectFrom('realmArtifacts')
          .select('consumedAt')
          .where('tenantId', '=', realm.id)
          .where('model', '=', model)
          .where('consumedAt', 'is', null)
          .execute(),
      )
      expect(unused).toHaveLength(1)
    },
  )

  test('counts guesses at introspection with those at the token endpoint', async () => {
    const { realm } = await realmWithToken('prince')
    const introspect = () =>
      fetch(`${realm.realmUrl}/protocol/openid-connect/token/introspect`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'invented', client_secret: 'wrong', token: 'x' }),
      })
    for (let guesses = 0; guesses < 6; guesses++) expect((await introspect()).status).toBe(401)
    const refused = await introspect()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
    expect((await tokenOf(realm, 'wrong', 'invented')).status).toBe(429)
  })
})

/** Requests a token from another address of the loopback network. */
async function statusFrom(
  localAddress: string,
  realm: TestRealm,
  clientId: string,
  clientSecret: string,
): Promise<number | undefined> {
  const url = new URL(`${realm.realmUrl}/protocol/openid-connect/token`)
  const outgoing = request({
    host: '127.0.0.1',
    port: url.port,
    path: url.pathname,
    method: 'POST',
    localAddress,
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  outgoing.end('grant_type=client_credentials')
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
