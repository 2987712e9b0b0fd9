import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// Raw messages, as clients of each revision of the protocol send them over HTTP, and what the gateway answers.

let api: TestApi
let token: string
beforeAll(async () => {
  api = await startApi()
  token = await api.person('maria')
  await releaseAgent(api, 'raw', {
    runtime: { observe: {} },
    tools: { payments: ['lookup_order', 'issue_refund'] },
  })
}, 180_000)
afterAll(() => api.close())

type Message = {
  id?: number
  method?: string
  params?: { progress?: number; progressToken?: unknown }
  result?: Record<string, unknown>
  error?: { code: number; data?: { elicitations: { mode: string; url: string; elicitationId: string }[] } }
}

/** The status, the headers and every message of one answer. */
async function send(message: unknown, headers: Record<string, string> = {}) {
  const {
    status,
    headers: answered,
    text,
  } = await api.request(token, '/v1/mcp/t/org-northwind-mutual/raw/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  })
  const isStream = answered.get('content-type')?.startsWith('text/event-stream') === true
  const lines = isStream
    ? text.split('\n').flatMap((line) => /^data: (.+)$/.exec(line)?.[1] ?? [])
    : text === ''
      ? []
      : [text]
  return { status, headers: answered, messages: lines.flatMap((line): Message[] => [JSON.parse(line)].flat()) }
}
const request = (id: number, method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const initialize = (protocolVersion: string, capabilities: object = {}) =>
  request(1, 'initialize', { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1.0.0' } })
const refund = (amount: string, meta: Record<string, unknown> = {}) => ({
  name: 'issue_refund',
  arguments: { id: 'A-1003', amount, currency: 'EUR' },
  _meta: { 'countersign/waitSeconds': 1, ...meta },
})

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('a client of %s', (revision) => {
  const since = { 'mcp-protocol-version': revision }
  // The header exists since 2025-06-18.
  const headers = revision < '2025-06-18' ? {} : since

  test('connects without a session, lists tools and calls one', async () => {
    const opened = await send(initialize(revision))
    expect(opened.status).toBe(200)
    expect(opened.headers.get('mcp-session-id')).toBeNull()
    expect(opened.messages[0]?.result).toMatchObject({ protocolVersion: revision, capabilities: { tools: {} } })
    const noted = await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect([noted.status, noted.messages]).toEqual([202, []])
    const listed = await send(request(2, 'tools/list'), headers)
    expect(listed.messages[0]?.result).toMatchObject({ tools: [{ name: 'lookup_order' }, { name: 'issue_refund' }] })
    const called = await send(request(3, 'tools/call', { name: 'lookup_order', arguments: { id: 'A-1003' } }), headers)
    expect(JSON.stringify(called.messages.at(-1)?.result)).toContain('A-1003')
  })

  test('gets the progress of a call that waits, and then its address as pending', async () => {
    const params = refund(`1.${revision.slice(-2)}`, { progressToken: 'p', 'countersign/waitSeconds': 6 })
    const { messages } = await send(request(4, 'tools/call', params), headers)
    const [first, ...others] = messages
    expect(first).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p' } })
    expect(others.at(-1)?.result).toMatchObject({
      structuredContent: { status: 'pending', url: expect.stringContaining('/approvals/') },
    })
  })

  test('that opens addresses gets the error −32042 in its session, and the result after the decision', async () => {
    const opened = await send(initialize(revision, { elicitation: { url: {} } }))
    const session = opened.headers.get('mcp-session-id') ?? ''
    expect(session).toMatch(/^opens-addresses-[\x21-\x7e]+$/)
    const within = { ...headers, 'mcp-session-id': session }
    const call = request(5, 'tools/call', refund(`2.${revision.slice(-2)}`))
    const { error } = (await send(call, within)).messages.at(-1) ?? {}
    expect(error).toMatchObject({ code: -32042, data: { elicitations: [{ mode: 'url' }] } })
    const [asked] = error?.data?.elicitations ?? []
    expect((await send(call, within)).messages.at(-1)?.error?.data?.elicitations).toEqual([asked])
    await approve(api, asked?.elicitationId ?? '')
    const wait = { ...call, params: refund(`2.${revision.slice(-2)}`, { 'countersign/waitSeconds': 30 }) }
    expect((await send(wait, within)).messages.at(-1)?.result?.isError).not.toBe(true)
  })
})

describe('a client of 2026-07-28', () => {
  const meta = (capabilities: object) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  })
  const ask = (method: string, params: Record<string, unknown> = {}, capabilities: object = {}) => {
    const own = { ...Object(params._meta), ...meta(capabilities) }
    return send(request(1, method, { ...params, _meta: own }), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    })
  }

  test('discovers, lists and calls without a handshake', async () => {
    expect((await ask('server/discover')).messages[0]?.result).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
    })
    expect((await ask('tools/list')).messages[0]?.result).toMatchObject({ tools: [{ name: 'lookup_order' }, {}] })
    const { messages } = await ask('tools/call', { name: 'lookup_order', arguments: { id: 'A-1003' } })
    expect(messages.at(-1)?.result).toMatchObject({ resultType: 'complete' })
  })

  test('that can’t open addresses gets a call that waits as pending', async () => {
    const { messages } = await ask('tools/call', refund('3.00'))
    expect(messages.at(-1)?.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'pending' } })
  })

  test('that opens addresses is asked to, and gets the result with the state that it was given', async () => {
    const opens = { elicitation: { url: {} } }
    const { result } = (await ask('tools/call', refund('4.00'), opens)).messages.at(-1) ?? {}
    expect(result).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String),
      inputRequests: { approval: { method: 'elicitation/create', params: { mode: 'url' } } },
    })
    const { approval } = (result?.inputRequests ?? {}) as { approval?: { params: { url: string } } }
    await approve(api, new URL(approval?.params.url ?? '').pathname.split('/').at(-1) ?? '')
    const again = {
      ...refund('4.00', { 'countersign/waitSeconds': 30 }),
      requestState: result?.requestState,
      inputResponses: { approval: { action: 'accept' } },
    }
    const done = (await ask('tools/call', again, opens)).messages.at(-1)?.result
    expect([done?.resultType, done?.isError === true]).toEqual(['complete', false])
  })
})
