import { dirname, join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { runTenantCommand } from '#server/tenant-command.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import {
  authorizationRequest,
  commandLine,
  consoleClient,
  exchangeCode,
  readTokens,
  refresh,
} from '#server/testing/auth/sign-in.ts'
import { freePort } from '#server/testing/free-port.ts'
import { type Keycloak, startKeycloak } from './process.ts'
import { addressOf, authorizeAtKeycloak, keycloakRealm, letGroupsDecide } from './realm.ts'

// A real Keycloak, with the realm file of docs/deploy and nothing else but people: what docs/identity-providers.md says works.

let keycloak: Keycloak
let api: TestApi
let realmUrl: string
let realm: ReturnType<typeof keycloakRealm>
beforeAll(async () => {
  const origin = `http://localhost:${await freePort()}`
  api = await startApi({ AUTH_URL: origin })
  keycloak = await startKeycloak(origin, { COUNTERSIGN_REALM: 'northwind', COUNTERSIGN_URL: api.baseUrl })
  realmUrl = `${origin}/realms/northwind`
  realm = keycloakRealm(keycloak, realmUrl)
}, 400_000)
afterAll(async () => {
  await api.close()
  await keycloak.close()
})

type Me = { principal: { kind: string; username: string; roles: string[] } }

describe('a person', () => {
  test('signs in at the console with tokens that are bound to the browser’s key, renews them, and signs out', async () => {
    await realm.addPerson('tara', ['viewer', 'developer'])
    const client = await consoleClient(api.baseUrl)
    const browser = new Browser()
    const request = authorizationRequest(realmUrl, client, { dpop_jkt: client.prover.thumbprint })
    const code = await authorizeAtKeycloak(browser, request, 'tara')
    const tokens = await readTokens(await exchangeCode(request, code))
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ cnf: { jkt: client.prover.thumbprint } })
    const meWith = async (token: string) =>
      api.request(undefined, '/v1/session.me', {
        headers: {
          authorization: `DPoP ${token}`,
          dpop: await client.prover.prove({ url: `${api.baseUrl}/v1/session.me`, accessToken: token }),
        },
      })
    const first = await meWith(tokens.accessToken)
    expect(first.text).toContain('"tara"')
    expect(payload<Me>(first).principal).toMatchObject({ kind: 'person', roles: ['viewer', 'developer'] })
    // Without the key the token is worth nothing.
    expect((await api.query(tokens.accessToken, 'session.me')).status).toBe(401)

    const renewed = await readTokens(await refresh(realmUrl, tokens.refreshToken, client))
    expect((await meWith(renewed.accessToken)).status).toBe(200)
    expect((await refresh(realmUrl, tokens.refreshToken, client)).status).toBe(400)

    const leave = new URL(`${realmUrl}/protocol/openid-connect/logout`)
    leave.searchParams.set('id_token_hint', renewed.idToken)
    leave.searchParams.set('post_logout_redirect_uri', `${api.baseUrl}/signed-out`)
    const left = await browser.visit(leave.href)
    expect([left.status, left.location]).toEqual([302, `${api.baseUrl}/signed-out`])
    expect((await refresh(realmUrl, renewed.refreshToken, client)).status).toBe(400)
  })

  test('signs in with the command line, whose tokens are bearer tokens', async () => {
    await realm.addPerson('cleo', ['viewer'])
    const request = authorizationRequest(realmUrl, commandLine)
    const code = await authorizeAtKeycloak(new Browser(), request, 'cleo')
    const { accessToken } = await readTokens(await exchangeCode(request, code))
    expect(payload<Me>(await api.query(accessToken, 'session.me')).principal).toMatchObject({ username: 'cleo' })
  })

  test('loses a role with the next token after it was withdrawn at Keycloak', async () => {
    const id = await realm.addPerson('rolf', ['viewer', 'operator'])
    const rolesNow = async () =>
      payload<Me>(await api.query(await realm.tokenFor('rolf'), 'session.me')).principal.roles
    expect(await rolesNow()).toEqual(['viewer', 'operator'])
    await realm.setRoles('DELETE', id, ['operator'])
    expect(await rolesNow()).toEqual(['viewer'])
  })
})

test('a service account gets a token with its secret, and is a machine', async () => {
  const [client] = await keycloak.administer<{ id: string; secret: string }[]>('GET', '/clients?clientId=ci-pipeline')
  const answer = await fetch(`${realmUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'ci-pipeline',
      client_secret: client?.secret ?? '',
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  expect(payload<Me>(await api.query(token, 'session.me')).principal).toMatchObject({
    kind: 'service_account',
    roles: ['developer'],
  })
})

test('a client that lacks the audience mapper is refused with the audience that it needs', async () => {
  await keycloak.administer('POST', '/clients', {
    clientId: 'unfinished',
    publicClient: false,
    serviceAccountsEnabled: true,
    secret: 'a-secret-of-this-test',
  })
  const answer = await fetch(`${realmUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'unfinished',
      client_secret: 'a-secret-of-this-test',
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const refused = await api.query(token, 'session.me')
  expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('must contain \\"countersign\\"')])
})

// Last: the tenant keeps these settings.
test('with roles from tokens, a role and a seat follow the groups at Keycloak', async () => {
  const { addGroup, put, tokenFor } = realm
  const [admins, deciders, board] = [
    await addGroup('cs-admins'),
    await addGroup('cs-deciders'),
    await addGroup('board'),
  ]
  await put('PUT', await realm.addPerson('ada', ['tenant_admin']), admins)
  await put('PUT', await realm.addPerson('boris', ['approver']), deciders)
  const gerda = await realm.addPerson('gerda', ['viewer'])
  const [ada, boris] = [await tokenFor('ada'), await tokenFor('boris')]
  payload(await api.query(boris, 'session.me'))
  const { port } = new URL(api.baseUrl)
  const DATA_DIR = join(dirname(api.gate), 'data')
  const operator = { PORT: port, DATABASE_URL: api.ownerUrl, DATA_DIR, AUTH_URL: keycloak.origin, LOG_LEVEL: 'error' }
  const seat = ['seat', 'northwind', '--group', 'change-approvers', '--person', addressOf('boris')]
  await runTenantCommand(
    () => loadConfig(operator),
    seat,
    () => undefined,
  )
  await letGroupsDecide(api, realmUrl, ada, boris)

  type Seen = { principal: { roles: string[]; groups: string[] } }
  const seen = async (token: string) => payload<Seen>(await api.query(token, 'session.me')).principal
  // The claim of groups is absent, so the roles of the realm no longer count.
  const first = await tokenFor('gerda')
  expect(await seen(first)).toMatchObject({ roles: [], groups: [] })
  await put('PUT', gerda, deciders)
  await put('PUT', gerda, board)
  const joined = await tokenFor('gerda', first)
  expect(await seen(joined)).toMatchObject({ roles: ['approver'], groups: ['escalation'] })
  expect(await seen(first)).toMatchObject({ roles: [] })
  await put('DELETE', gerda, deciders)
  await put('DELETE', gerda, board)
  expect(await seen(await tokenFor('gerda', joined))).toMatchObject({ roles: [], groups: [] })
  expect(await seen(joined)).toMatchObject({ roles: [], groups: [] })
})
