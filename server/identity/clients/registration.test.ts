import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { decodeJwt } from 'jose'
import { Client as DatabaseClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser, type Visit } from '#server/testing/auth/browser.ts'
import { authorizationRequest, sendSignIn } from '#server/testing/auth/sign-in.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// Programs of other vendors register themselves (RFC 7591), where the tenant lets them.

let api: TestApi
let owner: DatabaseClient
let maria: { username: string; password: string }
const redirectUri = 'http://127.0.0.1:51719/callback'

beforeAll(async () => {
  api = await startApi()
  owner = new DatabaseClient({ connectionString: api.ownerUrl })
  await owner.connect()
  const users = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.users ?? []
  maria = users.find(({ username }) => username === 'maria') ?? { username: '', password: '' }
  await releaseAgent(api, 'open-house', { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const realm = (slug = 'northwind') => `${api.baseUrl}/realms/${slug}`
const address = () => `${api.baseUrl}/v1/mcp/t/org-northwind-mutual/open-house/payments`
const endpoint = (slug?: string) => `${realm(slug)}/clients-registrations/openid-connect`
const metadataOf = async (slug: string): Promise<Record<string, unknown>[]> =>
  await Promise.all(
    [
      `${api.baseUrl}/.well-known/oauth-authorization-server/realms/${slug}`,
      `${realm(slug)}/.well-known/oauth-authorization-server`,
      `${realm(slug)}/.well-known/openid-configuration`,
    ].map(async (url) => (await (await fetch(url)).json()) as Record<string, unknown>),
  )
const register = (body: unknown, slug?: string, headers: Record<string, string> = {}) =>
  fetch(endpoint(slug), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const editor = { client_name: 'Editor', redirect_uris: [redirectUri], grant_types: ['authorization_code'] }
const registered = async (body: unknown = editor): Promise<string> => {
  const response = await register(body)
  expect(response.status).toBe(201)
  return ((await response.json()) as { client_id: string }).client_id
}
/** Makes room for further registrations in this hour. */
const anHourLater = () => owner.query("update registered_clients set registered_at = registered_at - interval '1 hour'")

type Settings = { revision: number; settings: { clientRegistration: string } }
async function set(clientRegistration: 'on' | 'off') {
  const tom = await api.person('tom')
  const { revision } = payload<Settings>(await api.query(tom, 'tenants.getSettings'))
  const { change } = payload<{ change: { approvalId: string } | null }>(
    await api.mutate(tom, 'tenants.updateSettings', { expectedRevision: revision, clientRegistration }),
  )
  if (change !== null) await approve(api, change.approvalId)
  return change
}

/** What a client keeps, in memory. It publishes no document. */
function memory(): OAuthClientProvider & { url: URL | undefined } {
  const kept = new Map<string, unknown>()
  return {
    url: undefined,
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'Editor',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.get('client') as never,
    saveClientInformation: (client) => void kept.set('client', client),
    tokens: () => kept.get('tokens') as never,
    saveTokens: (tokens) => void kept.set('tokens', tokens),
    redirectToAuthorization(url) {
      this.url = url
    },
    saveCodeVerifier: (verifier) => void kept.set('verifier', verifier),
    codeVerifier: () => String(kept.get('verifier')),
  }
}
async function question(browser: Browser, url: string): Promise<Visit> {
  const form = await browser.follow(await browser.visit(url), redirectUri)
  return browser.follow(await sendSignIn(browser, form, maria.username, maria.password), redirectUri)
}
const answer = (browser: Browser, page: Visit, decision: string) => {
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  return browser.visit(new URL(action, page.url).href, { decision })
}
const connect = (authProvider: OAuthClientProvider) =>
  new StreamableHTTPClientTransport(new URL(address()), { authProvider })

test('is off by default: no metadata names it, and nothing can be registered', async () => {
  for (const metadata of await metadataOf('globex')) expect(metadata).not.toHaveProperty('registration_endpoint')
  const response = await register(editor, 'globex')
  expect([response.status, (await response.json()).error]).toEqual([404, 'not_found'])
  const provider = memory()
  const transport = new StreamableHTTPClientTransport(
    new URL(`${api.baseUrl}/v1/mcp/t/org-globex-2041/open-house/payments`),
    { authProvider: provider },
  )
  await expect(new Client({ name: 'editor', version: '1.0.0' }).connect(transport)).rejects.toThrow(
    'does not support dynamic client registration',
  )
})

describe('once a tenant lets clients register', () => {
  beforeAll(async () => {
    // Another person agrees to a weaker rule.
    expect(await set('on')).not.toBeNull()
  })

  test('all metadata of that realm names the endpoint, and no other realm’s does', async () => {
    for (const metadata of await metadataOf('northwind')) expect(metadata.registration_endpoint).toBe(endpoint())
    for (const metadata of await metadataOf('globex')) expect(metadata).not.toHaveProperty('registration_endpoint')
    expect((await register(editor, 'globex')).status).toBe(404)
  })

  test('the official client registers itself, signs a person in, calls a tool, and renews', async () => {
    const provider = memory()
    const transport = connect(provider)
    await expect(new Client({ name: 'editor', version: '1.0.0' }).connect(transport)).rejects.toThrow(UnauthorizedError)
    const browser = new Browser()
    const page = await question(browser, String(provider.url))
    for (const text of ['Editor', 'the program registered itself', '127.0.0.1:51719', 'open-house', 'lookup_order'])
      expect(page.text).toContain(text)
    const { location = '' } = await browser.follow(await answer(browser, page, 'allow'), redirectUri)
    await transport.finishAuth(new URL(location).searchParams)
    const client = new Client({ name: 'editor', version: '1.0.0' })
    await client.connect(connect(provider))
    expect((await client.callTool({ name: 'lookup_order', arguments: { id: 'A-1001' } })).isError).not.toBe(true)
    const tokens = await provider.tokens()
    const claims = decodeJwt(tokens?.access_token ?? '')
    expect(claims).toMatchObject({
      aud: address(),
      scope: 'execution:start',
      azp: (await provider.clientInformation())?.client_id,
    })
    expect([claims.email, claims.name]).toEqual([undefined, undefined])
    expect((await api.query(tokens?.access_token, 'session.me')).status).toBe(401)
    await provider.saveTokens({ ...tokens, access_token: 'expired', token_type: 'Bearer' })
    expect(await auth(provider, { serverUrl: address() })).toBe('AUTHORIZED')
    await client.close()
  })

  test('the answer says what was registered, and leaves out what has no effect', async () => {
    const response = await register({ ...editor, client_uri: 'https://vendor.example', scope: 'openid', extra: 1 })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = await response.json()
    expect(body).toEqual({
      client_id: expect.stringMatching(/^registered:/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Editor',
      redirect_uris: [redirectUri],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      response_modes: ['query'],
    })
    const { rows } = await owner.query(
      `select record->'details' as details from audit_records where type = 'client.registered'
       and record->'resource'->>'id' = $1`,
      [body.client_id],
    )
    expect(rows).toEqual([{ details: { name: 'Editor', redirectUris: [redirectUri] } }])
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a confidential client', { token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    ['a client with a secret', { client_secret: 'x' }, 'invalid_client_metadata'],
    ['a redirect over http', { redirect_uris: ['http://vendor.example/callback'] }, 'invalid_redirect_uri'],
    ['a redirect to a program', { redirect_uris: ['editor://callback'] }, 'invalid_redirect_uri'],
    ['a redirect with a fragment', { redirect_uris: ['https://vendor.example/#x'] }, 'invalid_redirect_uri'],
    ['no redirect', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a client without codes', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['the implicit flow', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['a name that can’t be stored', { client_name: 'a\u0000b' }, 'invalid_client_metadata'],
  ])('%s is refused', async (_name, changes, error) => {
    const response = await register({ ...editor, ...changes })
    expect([response.status, (await response.json()).error]).toEqual([400, error])
  })

  test('a body that is too large, of another type, or no object is refused', async () => {
    const statusOf = async (...request: Parameters<typeof register>) => (await register(...request)).status
    expect(await statusOf({ ...editor, client_uri: `https://x.example/${'x'.repeat(5 * 1024)}` })).toBe(413)
    expect(await statusOf(editor, undefined, { 'content-type': 'text/plain' })).toBe(415)
    for (const body of ['', '{', '[]', 'null', '"x"']) expect([body, await statusOf(body)]).toEqual([body, 400])
    expect((await fetch(endpoint())).status).toBe(404)
  })

  test('the 21st in an hour is refused with Retry-After, and an hour later the next one is accepted', async () => {
    await anHourLater()
    const statuses = await Promise.all(Array.from({ length: 24 }, async () => (await register(editor)).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    const refused = await register(editor)
    expect([refused.status, (await refused.json()).error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    await anHourLater()
    expect((await register(editor)).status).toBe(201)
  })

  const pageOf = async (clientId: string, uri = redirectUri) => {
    const request = authorizationRequest(
      realm(),
      { clientId, redirectUri: uri },
      { scope: 'execution:start', resource: address() },
    )
    const browser = new Browser()
    return browser.follow(await browser.visit(request.url), uri)
  }

  test('a client that was not used for 30 days has ended', async () => {
    const clientId = await registered()
    const age = (days: number) =>
      owner.query(
        `update registered_clients set registered_at = now() - make_interval(days => $1) where client_id = $2`,
        [days, clientId],
      )
    await age(29)
    expect((await pageOf(clientId)).text).toContain('name="password"')
    await age(31)
    expect((await pageOf(clientId)).status).toBe(400)
    await owner.query(`update registered_clients set used_at = now() - interval '2 days' where client_id = $1`, [
      clientId,
    ])
    expect((await pageOf(clientId)).text).toContain('name="password"')
  })

  test('another redirect than the registered one is not followed, any port of the loopback address is', async () => {
    const clientId = await registered()
    expect((await pageOf(clientId, 'https://vendor.example/callback')).status).toBe(400)
    expect((await pageOf(clientId, 'http://127.0.0.1:1/callback')).text).toContain('name="password"')
  })

  test('turned off again, registered clients and the endpoint are gone at once', async () => {
    const clientId = await registered()
    expect((await pageOf(clientId)).text).toContain('name="password"')
    // A stricter rule needs no approval.
    expect(await set('off')).toBeNull()
    expect((await pageOf(clientId)).status).toBe(400)
    expect((await register(editor)).status).toBe(404)
    for (const metadata of await metadataOf('northwind')) expect(metadata).not.toHaveProperty('registration_endpoint')
  })
})
