import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrant,
  discovery,
} from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertClientSecret } from '#server/identity/store.ts'
import { verifyBearer } from '#server/kernel/auth/bearer.ts'
import { newId, newSecret } from '#server/kernel/ids.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { secretDigest } from './clients.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let secret: string

beforeAll(async () => {
  server = await identityServer({ ACCESS_TOKEN_TTL: '120' })
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  secret = (await northwind.service('ci-pipeline', ['developer', 'operator'])).clientSecret
  await globex.service('ci-pipeline', ['developer'])
})
afterAll(() => server.close())

const tokenAt = (realm: TestRealm, body: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${realm.realmUrl}/protocol/openid-connect/token`, { method: 'POST', headers, body: new URLSearchParams(body) })

const post = (realm: TestRealm, clientId: string, clientSecret: string, more: Record<string, string> = {}) =>
  tokenAt(realm, { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...more })

const basicHeader = (clientId: string, clientSecret: string) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

const basic = (realm: TestRealm, clientId: string, clientSecret: string) =>
  tokenAt(realm, { grant_type: 'client_credentials' }, basicHeader(clientId, clientSecret))

const expectRefused = async (response: Response, status: number, error: string) => {
  expect([response.status, (await response.json()).error]).toEqual([status, error])
}

describe('the token response', () => {
  test('follows the specification when the secret is in the form', async () => {
    const response = await post(northwind, 'ci-pipeline', secret)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const answer = await response.json()
    expect(answer).toEqual({
      access_token: expect.any(String),
      expires_in: 120,
      scope: 'profile email',
      token_type: 'Bearer',
    })
    const token = await verifyBearer(`Bearer ${answer.access_token}`)
    expect(token).toMatchObject({
      issuer: '/realms/northwind',
      subject: 'ci-pipeline',
      tenantExternalId: 'ext-northwind',
      roles: ['developer', 'operator'],
      username: 'ci-pipeline',
      authorizedParty: 'ci-pipeline',
    })
    expect(Math.abs(token.expiresAt - (Date.now() + 120_000))).toBeLessThan(5000)
  })

  test('contains a token in Keycloak’s shape', async () => {
    const { access_token } = await (await basic(northwind, 'ci-pipeline', secret)).json()
    const [header, payload] = access_token.split('.').slice(0, 2).map(decode)
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: northwind.realmUrl,
      sub: 'ci-pipeline',
      aud: 'countersign',
      azp: 'ci-pipeline',
      client_id: 'ci-pipeline',
      scope: 'profile email',
      realm_access: { roles: ['developer', 'operator'] },
      preferred_username: 'ci-pipeline',
      tenant: 'ext-northwind',
      jti: expect.any(String),
      iat: expect.any(Number),
      issued_at_ms: expect.any(Number),
      exp: expect.any(Number),
    })
    // The provider reads the clock twice: the second reading is iat.
    expect([119, 120]).toContain(payload.exp - payload.iat)
  })

  test('has a scope regardless of the requested one', async () => {
    const scopeOf = async (scope: string) =>
      (await (await post(northwind, 'ci-pipeline', secret, { scope })).json()).scope
    expect(await scopeOf('email')).toBe('email')
    expect(await scopeOf('decisions:read')).toBe('profile email')
  })

  test('ignores the host that the caller claims in its headers', async () => {
    const url = `${northwind.realmUrl}/.well-known/openid-configuration`
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
    const document = await (await fetch(url, { headers })).json()
    expect(JSON.stringify(document)).not.toContain('evil.example')
    expect(document.token_endpoint).toBe(`${northwind.realmUrl}/protocol/openid-connect/token`)
  })
})

describe('openid-client', () => {
  test.each([
    ['post', ClientSecretPost],
    ['basic', ClientSecretBasic],
  ])('discovers the realm and gets a token by %s', async (_name, method) => {
    const options = { execute: [allowInsecureRequests] }
    const config = await discovery(new URL(northwind.realmUrl), 'ci-pipeline', undefined, method(secret), options)
    expect(config.serverMetadata()).toMatchObject({
      issuer: northwind.realmUrl,
      authorization_endpoint: `${northwind.realmUrl}/protocol/openid-connect/auth`,
      jwks_uri: `${northwind.realmUrl}/protocol/openid-connect/certs`,
      userinfo_endpoint: `${northwind.realmUrl}/protocol/openid-connect/userinfo`,
      end_session_endpoint: `${northwind.realmUrl}/protocol/openid-connect/logout`,
      revocation_endpoint: `${northwind.realmUrl}/protocol/openid-connect/revoke`,
      introspection_endpoint: `${northwind.realmUrl}/protocol/openid-connect/token/introspect`,
    })
    const answer = await clientCredentialsGrant(config)
    expect(answer.expires_in).toBe(120)
    await expect(verifyBearer(`Bearer ${answer.access_token}`)).resolves.toMatchObject({ subject: 'ci-pipeline' })
  })
})

describe('the token endpoint refuses a client', () => {
  test('with a wrong secret, in the form and by Basic', async () => {
    await expectRefused(await post(northwind, 'ci-pipeline', newSecret()), 401, 'invalid_client')
    await expectRefused(await basic(northwind, 'ci-pipeline', newSecret()), 401, 'invalid_client')
    await expectRefused(await basic(northwind, 'ci-pipeline', `${secret} `), 401, 'invalid_client')
  })

  test('with the stored digest of the secret', async () => {
    await expectRefused(
      await post(northwind, 'ci-pipeline', secretDigest(secret).toString('hex')),
      401,
      'invalid_client',
    )
  })

  test('without a secret, or with a secret both in the form and in the header', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'ci-pipeline' }
    await expectRefused(await tokenAt(northwind, form), 401, 'invalid_client')
    const both = { ...form, client_secret: secret }
    await expectRefused(await tokenAt(northwind, both, basicHeader('ci-pipeline', secret)), 400, 'invalid_request')
  })

  test('at another realm with a client of the same name', async () => {
    await expectRefused(await post(globex, 'ci-pipeline', secret), 401, 'invalid_client')
  })

  test('with an unknown id, with the same response as for a wrong secret', async () => {
    const unknown = await post(northwind, 'unknown-client', secret)
    const wrong = await post(northwind, 'ci-pipeline', 'x')
    expect(unknown.status).toBe(wrong.status)
    expect(await unknown.text()).toBe(await wrong.text())
  })

  test('with the grant types of people’s clients, and people’s clients with client_credentials', async () => {
    const password = { grant_type: 'password', username: 'maria', password: 'x' }
    const service = basicHeader('ci-pipeline', secret)
    await expectRefused(await tokenAt(northwind, password, service), 400, 'unsupported_grant_type')
    const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://127.0.0.1/callback' }
    await expectRefused(await tokenAt(northwind, code, service), 400, 'invalid_request')
    const publicClient = { grant_type: 'client_credentials', client_id: 'countersign-cli' }
    await expectRefused(await tokenAt(northwind, publicClient), 400, 'invalid_request')
  })

  test('that requests another resource', async () => {
    const answer = await post(northwind, 'ci-pipeline', secret, { resource: 'https://elsewhere.example/' })
    await expectRefused(answer, 400, 'invalid_target')
  })

  test('while it is disabled, and serves it again once it is enabled', async () => {
    const made = await northwind.service('disabled-one', ['auditor'])
    const setDisabled = (disabledAt: Date | null) =>
      server.runtime.database.inTenant(northwind.id, (tx) =>
        tx
          .updateTable('realmClients')
          .set({ disabledAt })
          .where('tenantId', '=', northwind.id)
          .where('clientId', '=', 'disabled-one')
          .execute(),
      )
    expect((await post(northwind, 'disabled-one', made.clientSecret)).status).toBe(200)
    await setDisabled(new Date())
    await expectRefused(await post(northwind, 'disabled-one', made.clientSecret), 401, 'invalid_client')
    await setDisabled(null)
    expect((await post(northwind, 'disabled-one', made.clientSecret)).status).toBe(200)
  })

  test.each(['invited', 'suspended', 'removed'])('while its membership is %s', async (status) => {
    const name = `member-${status}`
    const made = await northwind.service(name, ['auditor'])
    expect((await post(northwind, name, made.clientSecret)).status).toBe(200)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('members')
        .set({ status })
        .where('tenantId', '=', northwind.id)
        .where('subject', '=', name)
        .execute(),
    )
    await expectRefused(await post(northwind, name, made.clientSecret), 400, 'unauthorized_client')
  })
})

describe('secrets', () => {
  test('overlap during a rotation until the old one ends', async () => {
    const { clientSecret: first } = await northwind.service('rotated', [])
    const add = (value: string, notAfter: Date | null) =>
      server.runtime.database.inTenant(northwind.id, (tx) =>
        insertClientSecret(tx, {
          tenantId: northwind.id,
          clientId: 'rotated',
          id: newId(),
          secretSha256: secretDigest(value),
          notAfter,
        }),
      )
    const [second, ending, ended] = [newSecret(), newSecret(), newSecret()]
    await add(second, null)
    await add(ending, new Date(Date.now() + 60_000))
    await add(ended, new Date(Date.now() - 1000))
    for (const live of [first, second, ending]) expect((await post(northwind, 'rotated', live)).status).toBe(200)
    await expectRefused(await post(northwind, 'rotated', ended), 401, 'invalid_client')
  })

  test('are not stored in the database', async () => {
    const rows = await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx.selectFrom('realmClientSecrets').selectAll().where('tenantId', '=', northwind.id).execute(),
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(rows.some(({ secretSha256 }) => secretSha256.equals(secretDigest(secret)))).toBe(true)
    expect(rows.some(({ secretSha256 }) => secretSha256.includes(secret))).toBe(false)
  })
})

describe('addresses', () => {
  test.each(['/realms/nowhere/protocol/openid-connect/token', '/realms/', '/realms/..%2Fx/a', '/realms/North/x'])(
    'an unknown realm at %s is a 404 as JSON',
    async (path) => {
      const response = await fetch(`${server.url}${path}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: 'not_found' })
    },
  )

  test('an unknown address of a realm is a 404 as JSON', async () => {
    const response = await fetch(`${northwind.realmUrl}/admin`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'not_found' })
  })
})

function decode(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
