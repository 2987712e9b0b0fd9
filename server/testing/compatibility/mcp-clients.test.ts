import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type TestApi } from '../api.ts'
import { Browser } from '../auth/browser.ts'
import { sendSignIn } from '../auth/sign-in.ts'
import { type ClientDocuments, startClientDocuments } from '../fakes/client-documents.ts'
import { approve } from '../refund-agent.ts'
import { releaseAgent } from '../released-agent.ts'

// The official TypeScript client in its last three minor lines, from sign-in to a call that people approve.

type Library = typeof import('@modelcontextprotocol/client')

let api: TestApi
let vendor: ClientDocuments
const redirectUri = 'http://127.0.0.1:51718/callback'
beforeAll(async () => {
  vendor = await startClientDocuments()
  api = await startApi({ NODE_EXTRA_CA_CERTS: vendor.certificate, ALLOWED_PRIVATE_HOSTS: 'localhost' })
  vendor.documents.set('/client.json', {
    client_id: `${vendor.url}/client.json`,
    client_name: 'Editor',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  })
  await releaseAgent(api, 'shared', {
    runtime: { observe: {} },
    tools: { payments: ['lookup_order', 'issue_refund'] },
  })
})
afterAll(async () => {
  await api.close()
  await vendor.close()
})

const lines = ['2.2', '2.3', '2.4']
const library = async (line: string): Promise<Library> =>
  await import(
    pathToFileURL(join(import.meta.dirname, 'sdks/node_modules', `mcp-client-${line}`, 'dist/index.mjs')).href
  )
const address = () => new URL('/v1/mcp/t/org-northwind-mutual/shared/payments', api.baseUrl)

/** Signs maria in at the address that a client opened, allows it, and returns what its redirect carries. */
async function allow(url: string): Promise<URLSearchParams> {
  const { users } = api.credentials.tenants.find(({ slug }) => slug === 'northwind') ?? { users: [] }
  const password = users.find(({ username }) => username === 'maria')?.password ?? ''
  const browser = new Browser()
  const form = await browser.follow(await browser.visit(url))
  const page = await browser.follow(await sendSignIn(browser, form, 'maria', password))
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const { location = '' } = await browser.follow(await browser.visit(action, { decision: 'allow' }), redirectUri)
  return new URL(location).searchParams
}

describe.each(lines)('the client %s', (line) => {
  const amount = (index: number) => `${index}.${line.replace('.', '')}`
  const refund = (index: number) => ({
    name: 'issue_refund',
    arguments: { id: 'A-1003', amount: amount(index), currency: 'EUR' },
  })
  const connect = async (options: object = {}) => {
    const { Client, StreamableHTTPClientTransport } = await library(line)
    const client = new Client({ name: 'editor', version: '1.0.0' }, options)
    const requestInit = { headers: { authorization: `Bearer ${await api.person('maria')}` } }
    return { client, open: () => client.connect(new StreamableHTTPClientTransport(address(), { requestInit })) }
  }

  test('signs a person in, lists tools and calls one', async () => {
    const { Client, StreamableHTTPClientTransport } = await library(line)
    const kept = new Map<string, unknown>()
    const authProvider = {
      redirectUrl: redirectUri,
      clientMetadataUrl: `${vendor.url}/client.json`,
      clientMetadata: { client_name: 'Editor', redirect_uris: [redirectUri] },
      clientInformation: () => kept.get('client') as never,
      saveClientInformation: (client: unknown) => void kept.set('client', client),
      tokens: () => kept.get('tokens') as never,
      saveTokens: (tokens: unknown) => void kept.set('tokens', tokens),
      redirectToAuthorization: (url: URL) => void kept.set('url', url.href),
      saveCodeVerifier: (verifier: string) => void kept.set('verifier', verifier),
      codeVerifier: () => String(kept.get('verifier')),
    }
    const first = new StreamableHTTPClientTransport(address(), { authProvider })
    await expect(new Client({ name: 'editor', version: '1.0.0' }).connect(first)).rejects.toThrow()
    await first.finishAuth(await allow(String(kept.get('url'))))
    const client = new Client({ name: 'editor', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(address(), { authProvider }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['lookup_order', 'issue_refund'])
    const { isError } = await client.callTool({ name: 'lookup_order', arguments: { id: 'A-1003' } })
    expect(isError).not.toBe(true)
    await client.close()
  })

  test('is held with progress, and gets the result once people have decided', async () => {
    const { client, open } = await connect()
    await open()
    const asked = await client.callTool({ ...refund(1), _meta: { 'countersign/waitSeconds': 1 } })
    const { approvalId } = asked.structuredContent as { approvalId: string }
    const told: number[] = []
    const answer = client.callTool(refund(1), { onprogress: ({ progress }) => told.push(progress) })
    await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(0)
    await approve(api, approvalId)
    expect((await answer).isError).not.toBe(true)
    await client.close()
  })

  test('of 2026-07-28 opens the approval, and gets the result', async () => {
    const { client, open } = await connect({
      capabilities: { elicitation: { url: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    })
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const url = 'url' in params ? String(params.url) : ''
      await approve(api, new URL(url).pathname.split('/').at(-1) ?? '')
      return { action: 'accept' as const }
    })
    await open()
    expect((await client.callTool(refund(2))).isError).not.toBe(true)
    await client.close()
  })

  test('gets the result of a task that waits for a person', async () => {
    const { client, open } = await connect()
    await open()
    const Task = z.looseObject({ taskId: z.string(), status: z.string(), statusMessage: z.string() })
    const params = { ...refund(3), task: { ttl: 3_600_000 } }
    const { task } = await client.request({ method: 'tools/call', params }, z.looseObject({ task: Task }))
    const state = () => client.request({ method: 'tasks/get', params: { taskId: task.taskId } }, Task)
    await expect.poll(async () => (await state()).statusMessage, { timeout: 20_000 }).toContain('/approvals/')
    const { statusMessage } = await state()
    const result = client.request(
      { method: 'tasks/result', params: { taskId: task.taskId } },
      z.looseObject({ structuredContent: z.looseObject({ amount: z.string() }) }),
    )
    await approve(api, /approvals\/([0-9a-f-]{36})/.exec(statusMessage)?.[1] ?? '')
    expect((await result).structuredContent.amount).toBe(amount(3))
    expect((await state()).status).toBe('completed')
    await client.close()
  })
})
