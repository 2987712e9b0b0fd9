import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyBearer } from '#server/kernel/auth/bearer.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { newProver } from '#server/testing/auth/dpop.ts'
import { malformedSignatures, misreadings, signJwt, twinOf } from '#server/testing/auth/misread.ts'
import {
  authorizationRequest,
  authorize,
  exchangeCode,
  readTokens,
  signIn,
  type Tokens,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let maria: { userId: string; password: string }
let hers: Tokens
let secret: string

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  maria = await northwind.person('maria', ['developer'])
  hers = await signIn(server.url, 'northwind', 'maria', maria.password)
  secret = (await northwind.service('ci-pipeline', ['developer'])).clientSecret
})
afterAll(() => server.close())

const serviceToken = async (headers: Record<string, string> = {}, scope = 'profile email') => {
  const response = await fetch(`${northwind.realmUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'ci-pipeline',
      client_secret: secret,
      scope,
    }),
  })
  return response.json()
}

describe('userinfo', () => {
  const userinfo = (realm: TestRealm, headers: Record<string, string>, method = 'GET') =>
    fetch(`${realm.realmUrl}/protocol/openid-connect/userinfo`, { method, headers })

  test.each(['GET', 'POST'])('identifies the token’s person by %s', async (method) => {
    const answer = await userinfo(northwind, { authorization: `Bearer ${hers.accessToken}` }, method)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      sub: maria.userId,
      tenant: 'ext-northwind',
      name: 'maria of northwind',
      preferred_username: 'maria',
      email: 'maria@northwind.example',
    })
  })

  test('is readable by the console’s pages and by no other origin’s', async () => {
    const authorization = `Bearer ${hers.accessToken}`
    const allowed = async (origin: string) =>
      (await userinfo(northwind, { authorization, origin })).headers.get('access-control-allow-origin')
    expect(await allowed(server.url)).toBe(server.url)
    expect(await allowed('https://evil.example')).toBeNull()
  })

  test('rejects anything but an access token of this realm', async () => {
    for (const authorization of ['', 'Bearer x', `Bearer ${hers.idToken}`]) {
      const answer = await userinfo(northwind, { authorization })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    const elsewhere = await userinfo(globex, { authorization: `Bearer ${hers.accessToken}` })
    expect(elsewhere.status).toBe(401)
  })

  test('accepts a key-bound token with its proof, once, and never without', async () => {
    const prover = await newProver()
    const request = authorizationRequest(northwind.realmUrl)
    const code = await authorize(new Browser(), request, 'maria', maria.password)
    const tokenUrl = `${northwind.realmUrl}/protocol/openid-connect/token`
    const dpop = await prover.prove({ method: 'POST', url: tokenUrl })
    const { accessToken } = await readTokens(await exchangeCode(request, code, {}, { dpop }))
    const url = `${northwind.realmUrl}/protocol/openid-connect/userinfo`
    const proof = await prover.prove({ url, accessToken })
    const authorization = `DPoP ${accessToken}`
    expect((await userinfo(northwind, { authorization, dpop: proof })).status).toBe(200)
    const elsewhere = await prover.prove({ url: northwind.realmUrl, accessToken })
    for (const refused of [proof, '', elsewhere]) {
      const answer = await userinfo(northwind, { authorization, dpop: refused })
      expect([answer.status, answer.headers.get('www-authenticate')?.split(' ')[0]]).toEqual([401, 'DPoP'])
    }
    expect((await userinfo(northwind, { authorization: `Bearer ${accessToken}`, dpop: proof })).status).toBe(401)
  })

  test('is only for people', async () => {
    const { access_token } = await serviceToken({}, 'openid profile')
    const answer = await userinfo(northwind, { authorization: `Bearer ${access_token}` })
    expect([answer.status, (await answer.json()).error]).toEqual([403, 'insufficient_scope'])
  })
})

describe('introspection', () => {
  const basic = (clientSecret: string) => ({
    authorization: `Basic ${Buffer.from(`ci-pipeline:${clientSecret}`).toString('base64')}`,
  })
  const introspect = (realm: TestRealm, body: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${realm.realmUrl}/protocol/openid-connect/token/introspect`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(body),
    })

  test('describes a token to a service account, authenticated by Basic or in the form', async () => {
    const expected = {
      active: true,
      sub: maria.userId,
      username: 'maria',
      client_id: 'countersign-cli',
      token_type: 'Bearer',
      iss: northwind.realmUrl,
      aud: 'countersign',
      tenant: 'ext-northwind',
      realm_access: { roles: ['developer'] },
    }
    const byHeader = await introspect(northwind, { token: hers.accessToken }, basic(secret))
    expect(await byHeader.json()).toMatchObject(expected)
    const form = { token: hers.accessToken, client_id: 'ci-pipeline', client_secret: secret }
    expect(await (await introspect(northwind, form)).json()).toMatchObject(expected)
  })

  test('describes tokens of service accounts, too', async () => {
    const { access_token } = await serviceToken()
    const answer = await (await introspect(northwind, { token: access_token }, basic(secret))).json()
    expect(answer).toMatchObject({ active: true, sub: 'ci-pipeline', username: 'ci-pipeline' })
  })

  test('reports any other token only as not active', async () => {
    const other = await globex.service('ci-pipeline', [])
    const tampered = `${hers.accessToken.slice(0, -4)}AAAA`
    for (const token of [tampered, hers.idToken, hers.refreshToken, 'x', '']) {
      expect(await (await introspect(northwind, { token }, basic(secret))).json()).toEqual({ active: false })
    }
    const foreign = await introspect(globex, { token: hers.accessToken }, basic(other.clientSecret))
    expect(await foreign.json()).toEqual({ active: false })
  })

  test('reports the token of a suspended member as not active', async () => {
    const omar = await northwind.person('omar', ['operator'])
    const { accessToken } = await signIn(server.url, 'northwind', 'omar', omar.password)
    const active = async () =>
      (await (await introspect(northwind, { token: accessToken }, basic(secret))).json()).active
    expect(await active()).toBe(true)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('members')
        .set({ status: 'suspended' })
        .where('tenantId', '=', northwind.id)
        .where('subject', '=', omar.userId)
        .execute(),
    )
    expect(await active()).toBe(false)
  })

  test('is only for authenticated clients of this realm', async () => {
    const token = hers.accessToken
    const attempts: [Record<string, string>, Record<string, string>][] = [
      [{ token }, {}],
      [{ token }, basic('wrong')],
      [{ token, client_id: 'countersign-cli' }, {}],
      [{ token, client_id: 'countersign-cli', client_secret: secret }, {}],
      [{ token, client_id: 'other' }, basic(secret)],
      [{ token, client_id: 'ci-pipeline', client_secret: secret }, basic(secret)],
      [{ token }, { authorization: `Bearer ${token}` }],
    ]
    for (const [body, headers] of attempts) {
      const answer = await introspect(northwind, body, headers)
      expect([answer.status, (await answer.json()).error]).toEqual([401, 'invalid_client'])
    }
    expect((await introspect(globex, { token }, basic(secret))).status).toBe(401)
    expect((await introspect(northwind, {}, basic(secret))).status).toBe(400)
  })
})

describe('DPoP', () => {
  test('binds a token to a key: it is rejected as a bearer token, and a proof works once', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(publicKey)
    const htu = `${northwind.realmUrl}/protocol/openid-connect/token`
    const proof = await new SignJWT({ htm: 'POST', htu, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey)
    const answers = await Promise.all([serviceToken({ dpop: proof }), serviceToken({ dpop: proof })])
    const [served] = answers.filter(({ access_token }) => access_token !== undefined)
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(1)
    expect(served.token_type).toBe('DPoP')
    expect(decodeJwt(served.access_token).cnf).toEqual({ jkt: await calculateJwkThumbprint(jwk) })
    await expect(verifyBearer(`Bearer ${served.access_token}`)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

test('the realm’s keys are published without their private parts', async () => {
  const { keys } = await (await fetch(`${northwind.realmUrl}/protocol/openid-connect/certs`)).json()
  expect(keys).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      use: 'sig',
      alg: 'ES256',
      kid: expect.any(String),
      x: expect.any(String),
      y: expect.any(String),
    },
  ])
})

describe('the token endpoint', () => {
  const url = () => `${northwind.realmUrl}/protocol/openid-connect/token`
  const request = (dpop: string | undefined, fields: Record<string, string>) =>
    fetch(url(), {
      method: 'POST',
      headers: dpop === undefined ? {} : { dpop },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }),
    })
  const withSecret = () => ({ client_id: 'ci-pipeline', client_secret: secret })

  test.each(Object.entries({ ...misreadings, ...malformedSignatures }))(
    'refuses a DPoP proof with %s',
    async (_name, make) => {
      const prover = await newProver()
      const proof = await prover.prove({ method: 'POST', url: url() })
      const jwt = { header: { ...decodeProtectedHeader(proof) }, payload: decodeJwt(proof), key: prover.privateKey }
      const answer = await request(make(jwt), withSecret())
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_dpop_proof' }])
      expect((await request(proof, withSecret())).status).toBe(200)
    },
  )

  test('accepts a DPoP proof once, whichever of its two valid signatures it has', async () => {
    const prover = await newProver()
    const proof = await prover.prove({ method: 'POST', url: url() })
    expect((await request(proof, withSecret())).status).toBe(200)
    const jwt = { header: { alg: 'ES256' }, payload: {}, key: prover.privateKey }
    expect((await request(twinOf(proof, jwt), withSecret())).status).toBe(400)
  })

  test('accepts no assertion of a client, however it is signed', async () => {
    const { privateKey: key } = await newProver()
    const claims = { iss: 'ci-pipeline', sub: 'ci-pipeline', aud: url(), jti: randomUUID() }
    const payload = { ...claims, iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60 }
    const jwt = { header: { alg: 'ES256', typ: 'JWT' }, payload, key }
    for (const make of [signJwt, ...Object.values(misreadings)]) {
      const answer = await request(undefined, {
        client_id: 'ci-pipeline',
        client_assertion: make(jwt),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      })
      expect([answer.status, Object.keys(await answer.json())]).toEqual([401, ['error', 'error_description']])
    }
  })
})
