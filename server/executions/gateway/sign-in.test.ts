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
import type { OwnProgram } from '#lib/schemas/sessions.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser, type Visit } from '#server/testing/auth/browser.ts'
import { authorizationRequest, exchangeCode, sendSignIn } from '#server/testing/auth/sign-in.ts'
import { type ClientDocuments, startClientDocuments } from '#server/testing/fakes/client-documents.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// A person pastes the address of the gateway into a client of another vendor, signs in, and works: with the official client.

let api: TestApi
let vendor: ClientDocuments
let clientId: string
let maria: { username: string; password: string }
const redirectUri = 'http://127.0.0.1:51717/callback'

beforeAll(async () => {
  vendor = await startClientDocuments()
  api = await startApi({ NODE_EXTRA_CA_CERTS: vendor.certificate, ALLOWED_PRIVATE_HOSTS: 'localhost' })
  clientId = publish('/client.json')
  const users = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.users ?? []
  maria = users.find(({ username }) => username === 'maria') ?? { username: '', password: '' }
  await releaseAgent(api, 'pasted', { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
}, 180_000)
afterAll(async () => {
  await api.close()
  await vendor.close()
})

/** A client's document at the vendor's server; its redirect is without a port, as RFC 8252 allows. */
function publish(path: string, changes: Record<string, unknown> = {}): string {
  const id = `${vendor.url}${path}`
  vendor.documents.set(path, {
    client_id: id,
    client_name: 'Editor',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...changes,
  })
  return id
}
const address = (agent = 'pasted', server = 'payments', tenant = 'org-northwind-mutual') =>
  `${api.baseUrl}/v1/mcp/t/${tenant}/${agent}/${server}`
const metadataOf = (url: string) => url.replace('/v1/', '/.well-known/oauth-protected-resource/v1/')
const realm = () => `${api.baseUrl}/realms/northwind`

/** What a client keeps, in memory. */
function memory(): OAuthClientProvider & { url: URL | undefined } {
  const kept: Record<string, never> & { tokens?: never; verifier?: string } = {}
  return {
    url: undefined,
    redirectUrl: redirectUri,
    clientMetadataUrl: clientId,
    clientMetadata: { client_name: 'Editor', redirect_uris: [redirectUri] },
    clientInformation: () => Reflect.get(kept, 'client'),
    saveClientInformation: (client) => void Reflect.set(kept, 'client', client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Reflect.set(kept, 'tokens', tokens),
    redirectToAuthorization(url) {
      this.url = url
    },
    saveCodeVerifier: (verifier) => void Reflect.set(kept, 'verifier', verifier),
    codeVerifier: () => kept.verifier ?? '',
  }
}

const answer = (browser: Browser, page: Visit, decision: string) => {
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  return browser.visit(new URL(action, page.url).href, { decision })
}
/** Signs maria in, and returns the page that asks her. */
async function question(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.follow(await browser.visit(url), redirectUri)
  if (!page.text.includes('name="password"')) return page
  return browser.follow(await sendSignIn(browser, page, maria.username, maria.password), redirectUri)
}
const requestOf = (parameters: Record<string, string> = {}, id = clientId) =>
  authorizationRequest(
    realm(),
    { clientId: id, redirectUri },
    { scope: 'execution:start', resource: address(), ...parameters },
  )
async function allowed(request = requestOf(), browser = new Browser()) {
  const page = await question(browser, request.url)
  const { location = '' } = await browser.follow(await answer(browser, page, 'allow'), redirectUri)
  const response = await exchangeCode(request, new URL(location).searchParams.get('code') ?? '', {
    resource: new URL(request.url).searchParams.get('resource') ?? '',
  })
  return (await response.json()) as { access_token: string; refresh_token: string; scope: string }
}
const listTools = (token: string, url = address()) =>
  api.request(token, url.slice(api.baseUrl.length), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

test('the official client finds the realm, signs a person in, and calls a tool', async () => {
  const provider = memory()
  const connect = () => new StreamableHTTPClientTransport(new URL(address()), { authProvider: provider })
  const first = new Client({ name: 'editor', version: '1.0.0' })
  const transport = connect()
  await expect(first.connect(transport)).rejects.toThrow(UnauthorizedError)
  const browser = new Browser()
  const page = await question(browser, String(provider.url))
  for (const text of ['Editor', new URL(vendor.url).host, '127.0.0.1:51717', 'pasted', 'lookup_order'])
    expect(page.text).toContain(text)
  const { location = '' } = await browser.follow(await answer(browser, page, 'allow'), redirectUri)
  const callback = new URL(location).searchParams
  await transport.finishAuth(callback)
  const client = new Client({ name: 'editor', version: '1.0.0' })
  await client.connect(connect())
  const result = await client.callTool({ name: 'lookup_order', arguments: { id: 'A-1001' } })
  expect(result.isError).not.toBe(true)
  // It renews on its own: an expired token is one that the gateway refuses.
  const tokens = await provider.tokens()
  await provider.saveTokens({ ...tokens, access_token: 'expired', token_type: 'Bearer' })
  expect(await auth(provider, { serverUrl: address() })).toBe('AUTHORIZED')
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['lookup_order'])
  await client.close()
})

describe('an address of the gateway', () => {
  test('answers a stranger where to sign in, the same whether or not agent and server exist', async () => {
    const answers = []
    for (const url of [address(), address('nobody', 'nothing')]) {
      const refused = await fetch(url, { method: 'POST', body: '{}' })
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${metadataOf(url)}"`)
      const metadata = await fetch(metadataOf(url))
      expect(metadata.status).toBe(200)
      const { resource, resource_name: _name, ...rest } = await metadata.json()
      expect(resource).toBe(url)
      answers.push(rest)
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toEqual({
      authorization_servers: [realm()],
      scopes_supported: ['execution:start'],
      bearer_methods_supported: ['header'],
    })
    const realmMetadata = await fetch(`${api.baseUrl}/.well-known/oauth-authorization-server/realms/northwind`)
    expect(await realmMetadata.json()).toMatchObject({
      issuer: realm(),
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
    })
  })

  test('of an unknown organisation, or of another form, is not found', async () => {
    for (const url of [address('pasted', 'payments', 'nobody'), `${address()}/more`, `${api.baseUrl}/v1/mcp/t/%ff/a/b`])
      expect((await fetch(metadataOf(url))).status).toBe(404)
  })

  test('serves callers with the API’s own tokens of that organisation, and refuses others', async () => {
    expect((await listTools(await api.person('maria'))).status).toBe(200)
    expect((await listTools(await api.person('maria'), address('pasted', 'payments', 'org-globex-2041'))).status).toBe(
      403,
    )
    expect((await listTools(await api.person('maria'), address('nobody'))).status).toBe(404)
  })
})

describe('an address with an environment', () => {
  const of = (environment: string) => `${address('both')}?environment=${environment}`
  beforeAll(async () => {
    const agentId = await releaseAgent(api, 'both', { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
    const input = { agentId, version: '1.0.0', environment: 'staging' }
    const proposed = await api.mutate(await api.client('ci-pipeline'), 'releases.propose', input)
    await approve(api, payload<{ approvalId: string }>(proposed).approvalId)
  })

  test('is what its metadata names, at an address with the same query', async () => {
    const refused = await fetch(of('staging'), { method: 'POST', body: '{}' })
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${metadataOf(of('staging'))}"`)
    expect(await (await fetch(metadataOf(of('staging')))).json()).toMatchObject({ resource: of('staging') })
    for (const other of [`${address('both')}?environment=No%20Name`, `${address('both')}?other=staging`])
      expect(await (await fetch(metadataOf(other))).json()).toMatchObject({ resource: address('both') })
  })

  test('lets the official client sign in, and names the environment to the person', async () => {
    const provider = memory()
    const connect = () => new StreamableHTTPClientTransport(new URL(of('production')), { authProvider: provider })
    const transport = connect()
    const first = new Client({ name: 'editor', version: '1.0.0' })
    await expect(first.connect(transport)).rejects.toThrow(UnauthorizedError)
    expect(provider.url?.searchParams.get('resource')).toBe(of('production'))
    const browser = new Browser()
    const page = await question(browser, String(provider.url))
    expect(page.text).toContain('both (production)')
    const { location = '' } = await browser.follow(await answer(browser, page, 'allow'), redirectUri)
    await transport.finishAuth(new URL(location).searchParams)
    const client = new Client({ name: 'editor', version: '1.0.0' })
    await client.connect(connect())
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['lookup_order'])
    await client.close()
  })

  test('accepts its own tokens and those for every environment, and no others', async () => {
    const { access_token: staging } = await allowed(requestOf({ resource: of('staging') }))
    const { access_token: everywhere } = await allowed(requestOf({ resource: address('both') }))
    expect(decodeJwt(staging).aud).toBe(of('staging'))
    const statuses = async (token: string) =>
      await Promise.all(
        [of('staging'), of('production'), address('both')].map(async (url) => (await listTools(token, url)).status),
      )
    expect(await statuses(staging)).toEqual([200, 401, 401])
    // Without an environment the address is not clear, but the token is accepted.
    expect(await statuses(everywhere)).toEqual([200, 200, 400])
  })

  test('in which nothing is released has nothing to allow', async () => {
    const page = await question(new Browser(), requestOf({ resource: of('test') }).url)
    expect([page.status, page.text.includes('value="allow"')]).toEqual([404, false])
  })
})

describe('a token of such a client', () => {
  test('has the address as its only audience, one scope, and no name or mail of the person', async () => {
    const { access_token: token, scope } = await allowed()
    const claims = decodeJwt(token)
    expect(scope).toBe('execution:start')
    expect(claims).toMatchObject({ aud: address(), scope: 'execution:start', azp: clientId })
    expect([claims.email, claims.name]).toEqual([undefined, undefined])
  })

  test('is accepted at that address and nowhere else', async () => {
    const { access_token: token } = await allowed()
    await releaseAgent(api, 'second', { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
    expect((await listTools(token)).status).toBe(200)
    for (const url of [address('second'), address('PASTED'), `${api.baseUrl}/v1/mcp/pasted/payments`])
      expect([url, (await listTools(token, url)).status]).toEqual([url, 401])
    for (const procedure of ['session.me', 'agents.list', 'approvals.list'])
      expect((await api.query(token, procedure)).status).toBe(401)
    expect((await api.mutate(token, 'executions.execute', {})).status).toBe(401)
    for (const path of ['/v1/traces', '/v1/files', '/v1/catalog', '/v1/metrics'])
      expect((await api.request(token, path, { method: path === '/v1/catalog' ? 'GET' : 'POST' })).status).not.toBe(200)
    const userinfo = await fetch(`${realm()}/protocol/openid-connect/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(userinfo.status).toBe(401)
  })

  test('names the client in the record of a call', async () => {
    const { access_token: token } = await allowed()
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'lookup_order', arguments: { id: 'A-1002' } },
    }
    const called = await api.request(token, new URL(address()).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    })
    expect(called.status).toBe(200)
    const owner = new DatabaseClient({ connectionString: api.ownerUrl })
    await owner.connect()
    const { rows } = await owner.query(
      `select 1 from audit_records
       where type = 'execution.started' and record->'details'->>'clientId' = $1 and record->'details'->>'via' = 'mcp'`,
      [clientId],
    )
    await owner.end()
    expect(rows.length).toBeGreaterThan(0)
  })

  test('ends with the sign-in at the client', async () => {
    const browser = new Browser()
    const { access_token: token } = await allowed(requestOf(), browser)
    const { sessions } = payload<{ sessions: { id: string; applications: string[] }[] }>(
      await api.query(await api.person('maria'), 'sessions.list'),
    )
    const own = sessions.filter(({ applications }) => applications.includes(clientId))
    for (const { id } of own) await api.mutate(await api.person('maria'), 'sessions.end', { id })
    api.forgetTokens()
    expect(own.length).toBeGreaterThan(0)
    expect((await listTools(token)).status).toBe(401)
  })
})

describe('among a person’s sessions', () => {
  type Listed = { id: string; applications: string[]; programs: OwnProgram[] }
  const listed = async () =>
    payload<{ sessions: Listed[] }>(await api.query(await api.person('maria'), 'sessions.list')).sessions
  const end = async (id: string | undefined, client = clientId) =>
    payload(await api.mutate(await api.person('maria'), 'sessions.endProgram', { id, clientId: client }))

  test('a client is listed with what it may call, and loses access on its own', async () => {
    const before = new Set((await listed()).map(({ id }) => id))
    const browser = new Browser()
    const tokens = await allowed(requestOf(), browser)
    const session = (await listed()).find(({ id }) => !before.has(id))
    const gateways = [{ agent: 'pasted', server: 'payments', environment: null }]
    expect(session).toMatchObject({ applications: [clientId], programs: [{ clientId, name: null, gateways }] })
    const [{ allowedAt = '' } = {}] = session?.programs ?? []
    expect(Date.now() - Date.parse(allowedAt)).toBeLessThan(60_000)
    expect((await listTools(tokens.access_token)).status).toBe(200)

    expect(await end(session?.id)).toEqual({ ended: 1 })
    api.forgetTokens()
    expect((await listTools(tokens.access_token)).status).toBe(401)
    expect((await listed()).find(({ id }) => id === session?.id)).toMatchObject({ applications: [], programs: [] })
    expect(await end(session?.id)).toEqual({ ended: 0 })
    // The person stays signed in, and can allow it again.
    const page = await browser.follow(await browser.visit(requestOf().url), redirectUri)
    expect(page.text).not.toContain('name="password"')
    const again = await allowed(requestOf(), browser)
    expect((await listTools(again.access_token)).status).toBe(200)
    expect((await listed()).find(({ id }) => id === session?.id)).toMatchObject({ programs: [{ clientId, gateways }] })
  })

  test('the console itself is not a program, and neither is one of another session', async () => {
    const { id } = (await listed()).find(({ applications }) => applications.includes('countersign-cli')) ?? {}
    expect(await end(id, 'countersign-cli')).toEqual({ ended: 0 })
    expect(await end('unknown-session')).toEqual({ ended: 0 })
  })
})

describe('the question to a person', () => {
  test('is asked again at each sign-in, also with a live session', async () => {
    const browser = new Browser()
    await allowed(requestOf(), browser)
    const page = await question(browser, requestOf().url)
    expect(page.text).toContain('value="allow"')
  })

  test('answered with Deny, or with anything else, gives no code', async () => {
    for (const decision of ['deny', 'Allow', '']) {
      const browser = new Browser()
      const page = await question(browser, requestOf().url)
      const { location = '' } = await browser.follow(await answer(browser, page, decision), redirectUri)
      expect(new URL(location).searchParams.get('error')).toBe('access_denied')
    }
  })

  test('shows hidden characters of a client’s name by their codes, and escapes it', async () => {
    const id = publish('/hostile.json', { client_name: 'Count\u202eersign</strong><script>' })
    const page = await question(new Browser(), requestOf({}, id).url)
    expect(page.text).toContain('Count[U+202E]ersign&lt;/strong&gt;&lt;script&gt;')
    expect(page.text).not.toContain('<script')
  })

  test('is not asked for an address without tools', async () => {
    const page = await question(new Browser(), requestOf({ resource: address('nobody') }).url)
    expect([page.status, page.text.includes('value="allow"')]).toEqual([404, false])
  })
})

describe('an authorization request of such a client', () => {
  const errorOf = async (request: { url: string }) => {
    const browser = new Browser()
    const { location } = await browser.follow(await browser.visit(request.url), redirectUri)
    return location === undefined ? undefined : new URL(location).searchParams.get('error')
  }
  test.each([
    ['for the whole API', () => 'urn:countersign:api'],
    ['for another organisation', () => address('pasted', 'payments', 'org-globex-2041')],
    ['for another spelling of the address', () => address('%70asted')],
    ['for another spelling of the environment', () => `${address()}?environment=%70roduction`],
    ['for the address with another query', () => `${address()}?environment=production&x=1`],
    ['for another server', () => 'https://elsewhere.example/v1/mcp/t/ext-northwind/pasted/payments'],
  ])('%s is refused', async (_name, resource) => {
    expect(await errorOf(requestOf({ resource: resource() }))).toBe('invalid_target')
  })

  test('gets the one scope, whatever it asks for', async () => {
    const { scope } = await allowed(requestOf({ scope: 'openid profile email execution:start' }))
    expect(scope).toBe('execution:start')
  })

  test('to a redirect that is not in the document is not followed', async () => {
    const request = authorizationRequest(
      realm(),
      { clientId, redirectUri: 'http://127.0.0.1:1/other' },
      { resource: address() },
    )
    const page = await new Browser().visit(request.url)
    expect([page.status, page.location]).toEqual([400, undefined])
  })

  test('of the command line gets no token for the gateway', async () => {
    const request = authorizationRequest(realm(), undefined, { resource: address() })
    const { location = '' } = await new Browser().visit(request.url)
    expect(new URL(location).searchParams.get('error')).toBe('invalid_target')
  })
})

describe('a client’s document', () => {
  const refusedFor = async (path: string) => {
    const page = await new Browser().visit(requestOf({}, `${vendor.url}${path}`).url)
    return [page.status, page.location]
  }
  test.each<[string, Record<string, unknown>]>([
    ['that names another client', { client_id: 'https://elsewhere.example/client.json' }],
    ['with a secret', { client_secret: 'x' }],
    ['for a confidential client', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with a redirect over http', { redirect_uris: ['http://elsewhere.example/callback'] }],
    ['with a redirect to a program', { redirect_uris: ['editor://callback'] }],
    ['without redirects', { redirect_uris: [] }],
    ['without authorization codes', { grant_types: ['client_credentials'] }],
    ['of more than 5 KiB', { client_uri: `https://x.example/${'x'.repeat(5 * 1024)}` }],
  ])('%s is refused', async (name, changes) => {
    const path = `/${name.replaceAll(' ', '-')}.json`
    publish(path, changes)
    expect(await refusedFor(path)).toEqual([400, undefined])
  })

  test('behind a redirect, of another type, or missing is refused', async () => {
    vendor.documents.set('/moved.json', (res) => res.writeHead(302, { location: clientId }).end())
    vendor.documents.set('/page.json', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('{}'))
    const before = vendor.asked.filter((path) => path === '/client.json').length
    for (const path of ['/moved.json', '/page.json', '/missing.json'])
      expect(await refusedFor(path)).toEqual([400, undefined])
    expect(vendor.asked.filter((path) => path === '/client.json').length).toBe(before)
  })

  test('that does not arrive within five seconds is refused', async () => {
    vendor.documents.set('/slow.json', () => undefined)
    const begun = performance.now()
    expect(await refusedFor('/slow.json')).toEqual([400, undefined])
    expect(performance.now() - begun).toBeLessThan(9000)
  }, 20_000)

  test('at an address inside the network is not requested', async () => {
    const { port } = new URL(vendor.url)
    const before = vendor.asked.length
    const request = requestOf({}, `https://127.0.0.1:${port}/client.json`)
    expect((await new Browser().visit(request.url)).status).toBe(400)
    expect(vendor.asked.length).toBe(before)
  })
})
