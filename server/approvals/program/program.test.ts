import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval, ApprovalSummary } from '#lib/schemas/approvals.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorizationRequest, exchangeCode, sendSignIn } from '#server/testing/auth/sign-in.ts'
import { type ClientDocuments, startClientDocuments } from '#server/testing/fakes/client-documents.ts'
import { request, sendRaw } from '#server/testing/raw-mcp.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// What reviewers read of the program that asks in the name of a person, or of an account.

let api: TestApi
let vendor: ClientDocuments
let jonas: string
const redirectUri = 'http://127.0.0.1:51723/callback'
const path = '/v1/mcp/t/org-northwind-mutual/asking/payments'

beforeAll(async () => {
  vendor = await startClientDocuments()
  api = await startApi({ NODE_EXTRA_CA_CERTS: vendor.certificate, ALLOWED_PRIVATE_HOSTS: 'localhost' })
  jonas = await api.person('jonas')
  await releaseAgent(api, 'asking', { runtime: { observe: {} }, tools: { payments: ['issue_refund'] } })
}, 180_000)
afterAll(async () => {
  await api.close()
  await vendor.close()
})

const realm = () => `${api.baseUrl}/realms/northwind`

/** A token that maria lets a client have. */
async function allowed(clientId: string): Promise<string> {
  const users = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.users ?? []
  const { username, password } = users.find((user) => user.username === 'maria') ?? { username: '', password: '' }
  const resource = `${api.baseUrl}${path}`
  const sent = authorizationRequest(realm(), { clientId, redirectUri }, { scope: 'execution:start', resource })
  const browser = new Browser()
  const form = await browser.follow(await browser.visit(sent.url), redirectUri)
  const page = await browser.follow(await sendSignIn(browser, form, username, password), redirectUri)
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const answered = await browser.visit(new URL(action, page.url).href, { decision: 'allow' })
  const { location = '' } = await browser.follow(answered, redirectUri)
  const response = await exchangeCode(sent, new URL(location).searchParams.get('code') ?? '', { resource })
  return ((await response.json()) as { access_token: string }).access_token
}

/** The request of a refund that a client asks for with this token, in the list and on its own page. */
async function requestOf(token: string, amount: string): Promise<{ listed: ApprovalSummary; page: Approval }> {
  const call = { name: 'issue_refund', arguments: { id: 'A-1003', amount, currency: 'EUR' } }
  const _meta = { 'countersign/waitSeconds': 0 }
  await sendRaw(api, { token, path }, request(1, 'tools/call', { ...call, _meta }))
  const listed = await until(async () => {
    const { items } = payload<{ items: ApprovalSummary[] }>(
      await api.query(jonas, 'approvals.getPending', { limit: 50 }),
    )
    return items.find((item) => item.amount?.value === amount)
  }, 'the call waits for a reviewer')
  const { approvalId } = listed
  return { listed, page: payload<Approval>(await api.query(jonas, 'approvals.get', { approvalId })) }
}

async function letClientsRegister(): Promise<void> {
  const tom = await api.person('tom')
  const { revision } = payload<{ revision: number }>(await api.query(tom, 'tenants.getSettings'))
  const { change } = payload<{ change: { approvalId: string } | null }>(
    await api.mutate(tom, 'tenants.updateSettings', { expectedRevision: revision, clientRegistration: 'on' }),
  )
  if (change !== null) await approve(api, change.approvalId)
}

test('a client that registered itself is named as it names itself, next to the person in whose name it asks', async () => {
  await letClientsRegister()
  const response = await fetch(`${realm()}/clients-registrations/openid-connect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Editor', redirect_uris: [redirectUri], grant_types: ['authorization_code'] }),
  })
  const { client_id: id } = (await response.json()) as { client_id: string }
  const { listed, page } = await requestOf(await allowed(id), '11.01')
  for (const { requestedBy, program } of [listed, page]) {
    expect(requestedBy.username).toBe('maria')
    expect(program).toEqual({ kind: 'client', id, name: 'Editor' })
  }
}, 60_000)

test('a client that publishes a document is named by its address', async () => {
  const id = `${vendor.url}/editor.json`
  vendor.documents.set('/editor.json', {
    client_id: id,
    client_name: 'Editor',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
  })
  const { page } = await requestOf(await allowed(id), '11.02')
  expect(page.program).toEqual({ kind: 'client', id, name: null })
}, 60_000)

test('a connection token is named next to its service account', async () => {
  const admin = await api.client('admin-automation')
  const account = { name: 'Waiting agent', roles: ['operator'] }
  const { clientId } = payload<{ clientId: string }>(await api.mutate(admin, 'serviceAccounts.create', account))
  const { items } = payload<{ items: { id: string; clientId: string }[] }>(
    await api.query(admin, 'serviceAccounts.list', { limit: 50 }),
  )
  const serviceAccountId = items.find((one) => one.clientId === clientId)?.id
  const made = { name: 'Editor of the office', serviceAccountId, use: 'gateway', agents: ['asking'] }
  const { id, token } = payload<{ id: string; token: string }>(await api.mutate(admin, 'connectionTokens.create', made))
  const { page } = await requestOf(token, '11.03')
  expect(page.requestedBy).toMatchObject({ username: clientId, kind: 'service_account' })
  expect(page.program).toEqual({ kind: 'connection_token', id, name: 'Editor of the office' })
})

test('a client with a token of the API is unknown, and repeating its call changes nothing', async () => {
  const maria = await api.person('maria')
  const first = await requestOf(maria, '11.04')
  expect(first.page.program).toEqual({ kind: 'mcp', id: null, name: null })
  const again = await requestOf(maria, '11.04')
  expect(again.page.approvalId).toBe(first.page.approvalId)
  expect(again.page.program).toEqual(first.page.program)
})

test('a request that did not come over MCP does not name a program', async () => {
  const { items } = payload<{ items: ApprovalSummary[] }>(
    await api.query(jonas, 'approvals.list', { limit: 50, view: 'decided' }),
  )
  expect(items.length).toBeGreaterThan(0)
  for (const item of items) expect(item).not.toHaveProperty('program')
})
