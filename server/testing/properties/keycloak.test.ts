import { dirname, join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { runTenantCommand } from '#server/tenant-command.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import {
  authorizationRequest,
  authorize,
  commandLine,
  consoleClient,
  exchangeCode,
  readTokens,
  refresh,
} from '#server/testing/auth/sign-in.ts'
import { freePort } from '#server/testing/free-port.ts'
import { type Keycloak, startKeycloak } from '#server/testing/processes/keycloak.ts'

// A real Keycloak, with the realm file of docs/deploy and nothing else but people: what docs/identity-providers.md says works.

let keycloak: Keycloak
let api: TestApi
let realmUrl: string
const password = 'A-password-of-this-test-7'
beforeAll(async () => {
  const origin = `http://localhost:${await freePort()}`
  api = await startApi({ AUTH_URL: origin })
  keycloak = await startKeycloak(origin, { COUNTERSIGN_REALM: 'northwind', COUNTERSIGN_URL: api.baseUrl })
  realmUrl = `${origin}/realms/northwind`
}, 400_000)
afterAll(async () => {
  await api.close()
  await keycloak.close()
})

type Me = { principal: { kind: string; username: string; roles: string[] } }

async function addPerson(username: string, roles: string[]): Promise<string> {
  await keycloak.administer('POST', '/users', {
    username,
    enabled: true,
    email: `${username}@elsewhere.example`,
    emailVerified: true,
    firstName: username,
    lastName: 'Keycloak',
    credentials: [{ type: 'password', value: password, temporary: false }],
  })
  const [person] = await keycloak.administer<{ id: string }[]>('GET', `/users?exact=true&username=${username}`)
  if (person === undefined) throw new Error('Keycloak did not create the account.')
  await setRoles('POST', person.id, roles)
  return person.id
}
const setRoles = async (method: 'POST' | 'DELETE', personId: string, roles: string[]) => {
  const all = await Promise.all(roles.map((role) => keycloak.administer('GET', `/roles/${role}`)))
  await keycloak.administer(method, `/users/${personId}/role-mappings/realm`, all)
}

describe('a person', () => {
  test('signs in at the console with tokens that are bound to the browser’s key, renews them, and signs out', async () => {
    await addPerson('tara', ['viewer', 'developer'])
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
    await addPerson('cleo', ['viewer'])
    const request = authorizationRequest(realmUrl, commandLine)
    const code = await authorizeAtKeycloak(new Browser(), request, 'cleo')
    const { accessToken } = await readTokens(await exchangeCode(request, code))
    expect(payload<Me>(await api.query(accessToken, 'session.me')).principal).toMatchObject({ username: 'cleo' })
  })

  test('loses a role with the next token after it was withdrawn at Keycloak', async () => {
    const id = await addPerson('rolf', ['viewer', 'operator'])
    const rolesNow = async () => {
      const request = authorizationRequest(realmUrl, commandLine)
      const code = await authorizeAtKeycloak(new Browser(), request, 'rolf')
      const { accessToken } = await readTokens(await exchangeCode(request, code))
      return payload<Me>(await api.query(accessToken, 'session.me')).principal.roles
    }
    expect(await rolesNow()).toEqual(['viewer', 'operator'])
    await setRoles('DELETE', id, ['operator'])
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

/** A token of the person by the command line, issued in a later second than `before`: the server can’t order tokens of one second. */
async function tokenFor(username: string, before?: string): Promise<string> {
  for (;;) {
    const request = authorizationRequest(realmUrl, commandLine)
    const code = await authorizeAtKeycloak(new Browser(), request, username)
    const { accessToken } = await readTokens(await exchangeCode(request, code))
    if (before === undefined || (decodeJwt(accessToken).iat ?? 0) > (decodeJwt(before).iat ?? 0)) return accessToken
  }
}

// Last: the tenant keeps these settings.
test('with roles from tokens, a role and a seat follow the groups at Keycloak', async () => {
  const addGroup = async (name: string) => {
    await keycloak.administer('POST', '/groups', { name })
    const [group] = await keycloak.administer<{ id: string }[]>('GET', `/groups?exact=true&search=${name}`)
    return group?.id ?? ''
  }
  const [admins, deciders, board] = [
    await addGroup('cs-admins'),
    await addGroup('cs-deciders'),
    await addGroup('board'),
  ]
  const put = (method: 'PUT' | 'DELETE', personId: string, groupId: string) =>
    keycloak.administer(method, `/users/${personId}/groups/${groupId}`)
  await put('PUT', await addPerson('ada', ['tenant_admin']), admins)
  await put('PUT', await addPerson('boris', ['approver']), deciders)
  const gerda = await addPerson('gerda', ['viewer'])
  const [ada, bo] = [await tokenFor('ada'), await tokenFor('boris')]
  payload(await api.query(bo, 'session.me'))
  const { port } = new URL(api.baseUrl)
  const DATA_DIR = join(dirname(api.gate), 'data')
  const operator = { PORT: port, DATABASE_URL: api.ownerUrl, DATA_DIR, AUTH_URL: keycloak.origin, LOG_LEVEL: 'error' }
  const seat = ['seat', 'northwind', '--group', 'change-approvers', '--person', 'boris@elsewhere.example']
  await runTenantCommand(loadConfig(operator), seat, () => undefined)

  type Asked = { change: { approvalId: string } }
  const approve = async (answer: Awaited<ReturnType<TestApi['mutate']>>) =>
    payload(
      await api.mutate(bo, 'approvals.decide', {
        approvalId: payload<Asked>(answer).change.approvalId,
        decision: 'approve',
        decisionAcknowledged: true,
        reason: 'Read and found right.',
      }),
    )
  const { revision } = payload<{ revision: number }>(await api.query(ada, 'tenants.getSettings'))
  await approve(
    await api.mutate(ada, 'tenants.updateSettings', {
      expectedRevision: revision,
      rolesFrom: 'token',
      roleClaim: 'groups',
      roleMapping: [
        { issuer: realmUrl, name: 'cs-admins', role: 'tenant_admin' },
        { issuer: realmUrl, name: 'cs-deciders', role: 'approver' },
      ],
    }),
  )
  type Seen = { principal: { roles: string[]; groups: string[] } }
  const seen = async (token: string) => payload<Seen>(await api.query(token, 'session.me')).principal
  // The claim of groups is absent, so the roles of the realm no longer count.
  const first = await tokenFor('gerda')
  expect(await seen(first)).toMatchObject({ roles: [], groups: [] })
  await put('PUT', gerda, deciders)
  await put('PUT', gerda, board)
  const { items } = payload<{ items: { id: string; name: string; revision: number; members: { id: string }[] }[] }>(
    await api.query(ada, 'groups.list'),
  )
  const group = items.find(({ name }) => name === 'escalation')
  await approve(
    await api.mutate(ada, 'groups.setMembers', {
      id: group?.id,
      expectedRevision: group?.revision,
      memberIds: group?.members.map(({ id }) => id),
      mappings: [{ issuer: realmUrl, name: 'board' }],
    }),
  )
  const joined = await tokenFor('gerda', first)
  expect(await seen(joined)).toMatchObject({ roles: ['approver'], groups: ['escalation'] })
  expect(await seen(first)).toMatchObject({ roles: [] })
  await put('DELETE', gerda, deciders)
  await put('DELETE', gerda, board)
  expect(await seen(await tokenFor('gerda', joined))).toMatchObject({ roles: [], groups: [] })
  expect(await seen(joined)).toMatchObject({ roles: [], groups: [] })
})

/** Fills in Keycloak's sign-in page. */
async function authorizeAtKeycloak(
  browser: Browser,
  request: ReturnType<typeof authorizationRequest>,
  username: string,
): Promise<string> {
  const { redirectUri } = request.client
  const page = await browser.visit(request.url)
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  if (action === undefined) return await authorize(browser, request, username, password)
  const visit = await browser.follow(await browser.visit(action, { username, password }), redirectUri)
  const answer = new URL(visit.location ?? `${page.url}#none`).searchParams
  if (answer.get('state') !== request.state) throw new Error(`Keycloak did not sign in: ${visit.status} ${visit.text}`)
  return answer.get('code') ?? ''
}
