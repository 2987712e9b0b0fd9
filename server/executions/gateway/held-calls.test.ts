import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { repeated } from '#server/testing/repeated-call.ts'
import { until } from '#server/testing/until.ts'

// Calls that wait for a person, as clients of each kind see them: with the official client, and with raw messages.

let api: TestApi
let agentId: string
beforeAll(async () => {
  api = await startApi()
  agentId = await releaseAgent(api, 'held', {
    runtime: { observe: {} },
    tools: { payments: ['lookup_order', 'issue_refund'] },
  })
}, 180_000)
afterAll(() => api.close())

const path = '/v1/mcp/t/org-northwind-mutual/held/payments'
type Opened = { action: 'accept' | 'decline' | 'cancel' }

/** A client whose person opens addresses, or that can't (`opened` is undefined). */
async function connect(revision: string | undefined, opened?: (url: string) => Promise<Opened>): Promise<Client> {
  const client = new Client(
    { name: 'editor', version: '1.0.0' },
    {
      ...(opened === undefined ? {} : { capabilities: { elicitation: { url: {} } } }),
      ...(revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } }),
    },
  )
  if (opened !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => opened('url' in params ? String(params.url) : ''))
  const requestInit = { headers: { authorization: `Bearer ${await api.person('maria')}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(path, api.baseUrl), { requestInit }))
  return client
}
const refund = (amount: string, meta: Record<string, unknown> = {}) => ({
  name: 'issue_refund',
  arguments: { id: 'A-1003', amount, currency: 'EUR' },
  _meta: meta,
})
const idOf = (url: string) => new URL(url).pathname.split('/').at(-1) ?? ''
const pendingOf = async () =>
  payload<{ items: { id: string; status: string }[] }>(
    await api.query(await api.person('maria'), 'executions.list', { agentId, limit: 50 }),
  ).items

describe('a client that can’t open addresses', () => {
  test('is held with progress until people decide, and gets the result of the one call', async () => {
    const client = await connect(undefined)
    const progress: number[] = []
    const before = (await pendingOf()).length
    const answer = client.callTool(refund('1.00'), { onprogress: ({ progress: seconds }) => progress.push(seconds) })
    await until(async () => progress.length > 1 || undefined, 'progress was told twice')
    const waiting = (await pendingOf())[0]
    expect(waiting?.status).toBe('waiting_approval')
    const { approvals } = await approvalsOf(waiting?.id ?? '')
    await approve(api, approvals[0] ?? '')
    expect((await answer).isError).not.toBe(true)
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b))
    expect((await pendingOf()).length).toBe(before + 1)
    await client.close()
  }, 60_000)

  test('is answered with the address of the approval when the wait is over', async () => {
    const client = await connect(undefined)
    const { structuredContent } = await repeated(() =>
      client.callTool(refund('2.00', { 'countersign/waitSeconds': 1 })),
    )
    expect(structuredContent).toMatchObject({ status: 'pending', reason: 'approval' })
    const { url, approvalId } = structuredContent as { url: string; approvalId: string }
    expect(url).toBe(`${api.baseUrl}/t/org-northwind-mutual/approvals/${approvalId}?organisation=northwind`)
    await client.close()
  })

  test('is told when a reviewer requested changes, and gets the result of the call with those', async () => {
    const client = await connect(undefined)
    const call = () => client.callTool(refund('2.50', { 'countersign/waitSeconds': 1 }))
    const asked = (await repeated(call)).structuredContent as { approvalId: string }
    const { approvalId } = asked
    const jonas = await api.person('jonas')
    payload(await api.mutate(jonas, 'approvals.requestChanges', { approvalId, reason: 'Half of it.' }))
    const told = await call()
    expect(told.structuredContent).toMatchObject({ status: 'pending', reason: 'changes_requested', approvalId })
    expect(JSON.stringify(told.content)).toMatch(/no one can approve it as it is/)
    const changes = { amount: '1.25' }
    const revised = payload<{ approvalId: string }>(
      await api.mutate(await api.person('maria'), 'approvals.revise', { approvalId, changes }),
    )
    expect((await call()).structuredContent).toMatchObject({ reason: 'approval', approvalId: revised.approvalId })
    await approve(api, revised.approvalId)
    expect((await repeated(call)).structuredContent).toMatchObject({ amount: '1.25' })
    await client.close()
  })

  test('that does not want to wait is answered after the first turn of its call, also the first time', async () => {
    const client = await connect(undefined)
    const answers: unknown[] = []
    // More than one, because on a busy machine a first turn may take longer than the answer.
    for (const amount of ['2.01', '2.02', '2.03']) {
      const { structuredContent } = await client.callTool(refund(amount, { 'countersign/waitSeconds': 0 }))
      answers.push(structuredContent)
    }
    const approvalId = expect.any(String)
    expect(answers).toContainEqual(expect.objectContaining({ status: 'pending', reason: 'approval', approvalId }))
    await client.close()
  })

  test('that gives up has asked once: the same call again is the same request', async () => {
    const client = await connect(undefined)
    const before = (await pendingOf()).length
    await expect(client.callTool(refund('3.00'), { timeout: 1500 })).rejects.toThrow()
    const [one, other] = await Promise.all([
      client.callTool(refund('3.00', { 'countersign/waitSeconds': 1 })),
      client.callTool(refund('3.00', { 'countersign/waitSeconds': 1 })),
    ])
    expect(one.structuredContent).toEqual(other.structuredContent)
    expect((await pendingOf()).length).toBe(before + 1)
    await client.close()
  })

  test('that gives up before the call ends gets its result by repeating it, although its connection stayed open', async () => {
    const client = await connect(undefined)
    const before = (await pendingOf()).length
    await expect(client.callTool(refund('3.50'), { timeout: 1500 })).rejects.toThrow(/timed out/)
    const id = (await pendingOf())[0]?.id ?? ''
    const { approvals } = await approvalsOf(id)
    await approve(api, approvals[0] ?? '')
    await until(async () => (await pendingOf())[0]?.status === 'succeeded' || undefined, 'the call ended')
    const { structuredContent, isError } = await client.callTool(refund('3.50', { 'countersign/waitSeconds': 1 }))
    expect([isError === true, structuredContent]).toEqual([false, expect.not.objectContaining({ status: 'pending' })])
    expect((await pendingOf()).length).toBe(before + 1)
    await client.close()
  })

  test.each(['1152921504606846976', '"\\ud800"'])('may name any id when it gives up: %s', async (id) => {
    const response = await fetch(new URL(path, api.baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await api.person('maria')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`,
    })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  test('that sends its own key means another call', async () => {
    const client = await connect(undefined)
    const meta = { 'countersign/waitSeconds': 1 }
    const first = await repeated(() => client.callTool(refund('4.00', meta)))
    const second = await repeated(() =>
      client.callTool(refund('4.00', { ...meta, 'countersign/idempotencyKey': 'second' })),
    )
    expect(Reflect.get(Object(second.structuredContent), 'approvalId')).not.toBe(
      Reflect.get(Object(first.structuredContent), 'approvalId'),
    )
    await client.close()
  })
})

describe('a client of 2026-07-28 that opens addresses', () => {
  test('is asked to, and gets the result of the one call after the decision', async () => {
    const before = (await pendingOf()).length
    const urls: string[] = []
    const client = await connect('2026-07-28', async (url) => {
      urls.push(url)
      await approve(api, idOf(url))
      return { action: 'accept' }
    })
    const answer = await client.callTool(refund('5.00'))
    expect([answer.isError === true, urls.length]).toEqual([false, 1])
    expect((await pendingOf()).length).toBe(before + 1)
    await client.close()
  }, 60_000)

  test.each([
    ['decline', '6.00'],
    ['cancel', '6.01'],
  ] as const)(
    'whose person answers %s gets the call as pending, and its request still waits',
    async (action, amount) => {
      const client = await connect('2026-07-28', async () => ({ action }))
      const { structuredContent } = await client.callTool(refund(amount))
      expect(structuredContent).toMatchObject({ status: 'pending', reason: 'approval' })
      const id = Reflect.get(Object(structuredContent), 'executionId')
      expect(await pendingOf()).toContainEqual(expect.objectContaining({ id, status: 'waiting_approval' }))
      await client.close()
    },
  )

  test('can’t use the state of another call, of another caller, or a changed one', async () => {
    const states = new Map<string, string>()
    const send = async (id: string, requestState?: string, username = 'maria') => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
        'countersign/waitSeconds': 1,
      }
      const params = {
        name: 'issue_refund',
        arguments: { id },
        _meta,
        ...(requestState === undefined ? {} : { requestState }),
      }
      const { text } = await api.request(await api.person(username), path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'issue_refund',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return JSON.parse(text.replace(/^[\s\S]*?(?=\{"jsonrpc)/, '').replace(/^data: /, ''))
    }
    for (const id of ['A-1007', 'A-1008']) {
      const { result } = await send(id)
      expect(result.resultType).toBe('input_required')
      states.set(id, result.requestState)
    }
    const own = states.get('A-1007') ?? ''
    expect((await send('A-1007', own)).result.requestState).toBe(own)
    for (const [state, username] of [
      [states.get('A-1008') ?? '', 'maria'],
      [own, 'omar'],
      [`${own}x`, 'maria'],
      [own.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'maria'],
      ['', 'maria'],
    ] as const)
      expect((await send('A-1007', state, username)).error).toMatchObject({ code: -32602 })
  })
})

describe('a client of 2025-11-25 that opens addresses', () => {
  test('gets the error −32042 with the address, and the result when it repeats the call', async () => {
    const client = await connect(undefined, async () => ({ action: 'accept' }))
    const refused = await client.callTool(refund('9.00')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProtocolError)
    const { code, data } = refused as ProtocolError & { data: { elicitations: { url: string }[] } }
    expect(code).toBe(-32042)
    const again = client.callTool(refund('9.00'))
    await approve(api, idOf(data.elicitations[0]?.url ?? ''))
    expect((await again).isError).not.toBe(true)
    await client.close()
  }, 60_000)
})

describe('a client that asks for a task', () => {
  const Task = z.looseObject({ taskId: z.string(), status: z.string(), statusMessage: z.string() })
  const Created = z.looseObject({ task: Task })

  test('is answered at once, follows it, and gets the result of the one call', async () => {
    const client = await connect(undefined, async () => ({ action: 'accept' }))
    expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } })
    const call = (amount: string) =>
      client.request({ method: 'tools/call', params: { ...refund(amount), task: { ttl: 3_600_000 } } }, Created)
    const before = (await pendingOf()).length
    const { task } = await call('10.00')
    expect(task.status).toBe('working')
    const params = { taskId: task.taskId }
    const waiting = await until(async () => {
      const state = await client.request({ method: 'tasks/get', params }, Task)
      return state.statusMessage.includes('/approvals/') ? state : undefined
    }, 'the task waits for a person')
    // The same call is the same task, however it is asked for.
    expect((await call('10.00')).task.taskId).toBe(task.taskId)
    const held = await client
      .callTool(refund('10.00', { 'countersign/waitSeconds': 1 }))
      .catch((error: unknown) => error)
    expect(held).toMatchObject({ code: -32042 })
    expect((await pendingOf()).length).toBe(before + 1)
    const asked = idOf(waiting.statusMessage.split(' ').at(-1) ?? '')
    const jonas = await api.person('jonas')
    payload(await api.mutate(jonas, 'approvals.requestChanges', { approvalId: asked, reason: 'A little less.' }))
    const told = await client.request({ method: 'tasks/get', params }, Task)
    expect(told.statusMessage).toBe(
      `A reviewer requested changes to the call: ${waiting.statusMessage.split(' ').at(-1)}`,
    )
    const change = { approvalId: asked, changes: { amount: '9.00' } }
    await approve(
      api,
      payload<{ approvalId: string }>(await api.mutate(await api.person('maria'), 'approvals.revise', change))
        .approvalId,
    )
    const result = await client.request(
      { method: 'tasks/result', params },
      z.looseObject({ isError: z.boolean().optional() }),
    )
    expect(result.isError).not.toBe(true)
    expect(result.structuredContent).toMatchObject({ amount: '9.00' })
    expect((await call('10.00')).task.taskId).not.toBe(task.taskId)
    await client.close()
  }, 60_000)
})

const approvalsOf = async (executionId: string) => {
  const { text } = await api.query(await api.person('maria'), 'executions.get', { id: executionId })
  return { approvals: [...text.matchAll(/"approvalId":"([^"]+)"/g)].map(([, id]) => id) }
}
