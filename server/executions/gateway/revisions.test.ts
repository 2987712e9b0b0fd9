// Longer than other files: every revision's messages are tested on one server, whose start takes longest.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { request, sendModern, sendRaw } from '#server/testing/raw-mcp.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

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

const address = '/v1/mcp/t/org-northwind-mutual/raw/payments'
const send = (message: unknown, headers?: Record<string, string>) =>
  sendRaw(api, { token, path: address }, message, headers)
const ask = (method: string, params?: Record<string, unknown>, capabilities?: object) =>
  sendModern(api, { token, path: address }, method, params, capabilities)
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
    const wait = { ...call, params: refund(`2.${revision.slice(-2)}`, { 'countersign/waitSeconds': 30 }) }
    // Answered as soon as the call waits for a person.
    const { error } = (await send(wait, within)).messages.at(-1) ?? {}
    expect(error).toMatchObject({ code: -32042, data: { elicitations: [{ mode: 'url' }] } })
    const elicitations = error?.data?.elicitations as { elicitationId: string }[]
    expect((await send(call, within)).messages.at(-1)?.error?.data?.elicitations).toEqual(elicitations)
    await approve(api, elicitations[0]?.elicitationId ?? '')
    expect((await send(wait, within)).messages.at(-1)?.result?.isError).not.toBe(true)
  })
})

describe('a client of 2026-07-28', () => {
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
    const first = refund('4.00', { 'countersign/waitSeconds': 30 })
    const { result } = (await ask('tools/call', first, opens)).messages.at(-1) ?? {}
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

test.each(['soon', -1, null])('a wait of %j seconds is refused before the call starts', async (seconds) => {
  const refusal = { code: -32602, message: '_meta["countersign/waitSeconds"] must be a number of seconds, 0 or more.' }
  const params = refund('9.00', { 'countersign/waitSeconds': seconds })
  expect((await send(request(8, 'tools/call', params))).messages.at(-1)?.error).toMatchObject(refusal)
  expect((await ask('tools/call', params)).messages.at(-1)?.error).toMatchObject(refusal)
  const asTask = { ...params, task: { ttl: 60_000 } }
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  expect((await send(request(9, 'tools/call', asTask), headers)).messages.at(-1)?.error).toMatchObject(refusal)
})

describe('a client of 2025-11-25 that asks for a task', () => {
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  const tell = async (method: string, params: Record<string, unknown> = {}) =>
    (await send(request(7, method, params), headers)).messages
  const taskOf = async (params: Record<string, unknown>) => {
    const answer = (await tell('tools/call', { ...params, task: { ttl: 7_200_000 } })).at(-1)
    return Object(answer?.result?.task) as { taskId: string; status: string; statusMessage: string }
  }

  test('learns that it can, of the server and of each tool', async () => {
    const [opened] = (await send(initialize('2025-11-25'))).messages
    expect(opened?.result?.capabilities).toEqual({
      tools: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    })
    const tools = (await tell('tools/list')).at(-1)?.result?.tools
    expect(tools).toMatchObject([
      { execution: { taskSupport: 'optional' } },
      { execution: { taskSupport: 'optional' } },
    ])
  })

  test('gets one that works at once, the address of the approval, and the result of the one call', async () => {
    const [created] = await tell('tools/call', { ...refund('5.00'), task: { ttl: 7_200_000 } })
    expect(created?.result).toEqual({
      task: {
        taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'working',
        statusMessage: expect.any(String),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        ttl: 7_200_000,
        pollInterval: expect.any(Number),
      },
      _meta: { 'io.modelcontextprotocol/model-immediate-response': expect.any(String) },
    })
    const { taskId } = Object(created?.result?.task) as { taskId: string }
    const approvalId = await until(async () => {
      const [state] = await tell('tasks/get', { taskId })
      expect(state?.result).toMatchObject({ taskId, status: 'working' })
      return /approvals\/([0-9a-f-]{36})/.exec(String(state?.result?.statusMessage))?.[1]
    }, 'the task named its approval')
    const answer = tell('tasks/result', { taskId })
    await approve(api, approvalId)
    const messages = await answer
    expect(messages[0]).toMatchObject({ method: 'notifications/tasks/status', params: { taskId, status: 'working' } })
    const { result } = messages.at(-1) ?? {}
    expect(result).toMatchObject({
      structuredContent: { amount: '5.00' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    expect(result?.isError).not.toBe(true)
    const [over] = await tell('tasks/get', { taskId })
    expect(over?.result).toMatchObject({ taskId, status: 'completed' })
    expect(over?.result?._meta).toBeUndefined()
    expect((await tell('tasks/result', { taskId })).at(-1)?.result).toEqual(result)
  })

  test('lists its tasks by page, newest first', async () => {
    const made: string[] = []
    for (let index = 0; index < 52; index++) {
      const lookUp = { name: 'lookup_order', arguments: { id: `L-${index}` } }
      made.unshift((await taskOf(lookUp)).taskId)
    }
    const [first] = await tell('tasks/list')
    const page = Object(first?.result) as { tasks: { taskId: string }[]; nextCursor: string }
    expect(page.tasks.map(({ taskId }) => taskId)).toEqual(made.slice(0, 50))
    const [second] = await tell('tasks/list', { cursor: page.nextCursor })
    const { tasks } = Object(second?.result) as { tasks: { taskId: string }[] }
    expect(tasks.map(({ taskId }) => taskId).slice(0, 2)).toEqual(made.slice(50))
    expect(second?.result?.nextCursor).toBeUndefined()
    expect((await tell('tasks/list', { cursor: 'page-2' }))[0]?.error).toMatchObject({ code: -32602 })
  })

  test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('is refused %s of an unknown task', async (method) => {
    for (const taskId of ['0199aaaa-0000-7000-8000-000000000000', 'x', ''])
      expect((await tell(method, { taskId }))[0]?.error).toMatchObject({ code: -32602 })
    expect((await tell(method, {}))[0]?.error).toMatchObject({ code: -32602 })
    expect((await tell(method, { taskId: 7 }))[0]?.error).toMatchObject({ code: -32602 })
  })

  test('cancels one: its request is withdrawn, and it can’t be canceled twice', async () => {
    const { taskId } = await taskOf(refund('6.00'))
    const [canceled] = await tell('tasks/cancel', { taskId })
    expect(canceled?.result).toMatchObject({ taskId, status: 'cancelled' })
    expect((await tell('tasks/cancel', { taskId }))[0]?.error).toMatchObject({ code: -32602 })
    expect((await tell('tasks/result', { taskId })).at(-1)?.result).toMatchObject({ isError: true })
    // The same call is a new one, with a request of its own.
    expect((await taskOf(refund('6.00'))).taskId).not.toBe(taskId)
  })

  test('gets an error of the protocol for a call that can’t start, and a failed task for one that is denied', async () => {
    const key = { 'countersign/idempotencyKey': 'k-1' }
    await taskOf({ name: 'lookup_order', arguments: { id: 'A-1001' }, _meta: key })
    const other = { name: 'lookup_order', arguments: { id: 'A-1002' }, _meta: key, task: {} }
    const [refused] = await tell('tools/call', other)
    expect(refused?.error).toMatchObject({ code: -32602, message: expect.stringContaining('event_conflict') })
    const { taskId } = await taskOf({ name: 'no_such_tool', arguments: {} })
    const result = (await tell('tasks/result', { taskId })).at(-1)?.result
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'tool_not_released' } })
    expect((await tell('tasks/get', { taskId }))[0]?.result).toMatchObject({ status: 'failed' })
  })

  test('keeps a task for an hour at least and a week at most', async () => {
    const ttlOf = async (ttl: unknown, id: string) => {
      const [created] = await tell('tools/call', { name: 'lookup_order', arguments: { id }, task: { ttl } })
      return (created?.result?.task as { ttl: number } | undefined)?.ttl
    }
    expect(await ttlOf(1, 'A-1')).toBe(3_600_000)
    expect(await ttlOf(1e12, 'A-2')).toBe(7 * 86_400_000)
    expect(await ttlOf(undefined, 'A-3')).toBe(86_400_000)
    expect(await ttlOf('long', 'A-4')).toBeUndefined()
  })
})

describe('a client of 2026-07-28 that understands tasks', () => {
  const understands = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const tell = async (method: string, params: Record<string, unknown> = {}, capabilities: object = understands) =>
    (await ask(method, params, capabilities)).messages
  const called = async (amount: string) => {
    const [created] = await tell('tools/call', refund(amount))
    return { taskId: String(created?.result?.taskId) }
  }
  const approvalOf = (taskId: unknown) =>
    until(async () => {
      const [state] = await tell('tasks/get', { taskId })
      return /approvals\/([0-9a-f-]{36})/.exec(String(state?.result?.statusMessage))?.[1]
    }, 'the task named its approval')

  test('finds the extension, and no capability or method of earlier revisions', async () => {
    const [found] = await tell('server/discover')
    expect(found?.result?.capabilities).toEqual({ tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } })
    const [listed] = await tell('tools/list')
    expect(JSON.stringify(listed?.result)).not.toContain('taskSupport')
    const { taskId } = await called('7.00')
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await tell(method, { taskId }))[0]?.error).toMatchObject({ code: -32601 })
  })

  test('gets a task for a call that waits, before any address to open, and then its result within the task', async () => {
    const opens = { ...understands, elicitation: { url: {} } }
    const [created] = await tell('tools/call', refund('8.00'), opens)
    expect(created?.result).toMatchObject({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttlMs: 86_400_000,
      pollIntervalMs: expect.any(Number),
    })
    const taskId = created?.result?.taskId
    expect((await tell('tasks/update', { taskId, inputResponses: {} }))[0]?.result).toMatchObject({
      resultType: 'complete',
    })
    await approve(api, await approvalOf(taskId))
    const over = await until(async () => {
      const [state] = await tell('tasks/get', { taskId })
      expect(state?.result).toMatchObject({ resultType: 'complete', taskId })
      return state?.result?.status === 'working' ? undefined : state?.result
    }, 'the task ended')
    expect(over).toMatchObject({ status: 'completed', result: { structuredContent: { amount: '8.00' } } })
    expect(Object(over.result).isError).not.toBe(true)
    // Its result was taken, so the same call is a new one.
    expect((await called('8.00')).taskId).not.toBe(taskId)
  })

  test('gets a call that does not wait at once', async () => {
    const [answer] = (await tell('tools/call', { name: 'lookup_order', arguments: { id: 'A-1003' } })).slice(-1)
    expect(answer?.result).toMatchObject({ resultType: 'complete', structuredContent: expect.anything() })
  })

  test('cancels its task: a rejected or canceled call is not a failure of the protocol', async () => {
    const { taskId } = await called('9.00')
    for (const _ of ['', 'twice'])
      expect((await tell('tasks/cancel', { taskId }))[0]?.result).toMatchObject({ resultType: 'complete' })
    const [state] = await tell('tasks/get', { taskId })
    expect(state?.result).toMatchObject({ status: 'cancelled' })
    expect(state?.result?.result).toBeUndefined()
    const rejected = await called('9.50')
    const approvalId = await approvalOf(rejected.taskId)
    const reject = { approvalId, decision: 'reject', reason: 'Not this one.' }
    await api.mutate(await api.person('jonas'), 'approvals.decide', { ...reject, decisionAcknowledged: true })
    const over = await until(async () => {
      const [now] = await tell('tasks/get', { taskId: rejected.taskId })
      return now?.result?.status === 'working' ? undefined : now?.result
    }, 'the rejected task ended')
    expect(over).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  test.each(['tasks/get', 'tasks/cancel', 'tasks/update'])(
    'is refused %s without the capability and of an unknown task',
    async (method) => {
      const { taskId } = await called('10.00')
      const [without] = await tell(method, { taskId }, {})
      expect(without?.error).toMatchObject({ code: -32021, data: { requiredCapabilities: understands } })
      const [unknown] = await tell(method, { taskId: '0199aaaa-0000-7000-8000-000000000000' })
      expect(unknown?.error).toMatchObject({ code: -32602 })
    },
  )

  test('without the capability is never answered with a task', async () => {
    const [answer] = (await tell('tools/call', refund('11.00'), {})).slice(-1)
    expect(answer?.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'pending' } })
  })

  test('follows its tasks on one stream until they end', async () => {
    const { taskId } = await called('12.00')
    const approvalId = await approvalOf(taskId)
    const unknown = '0199aaaa-0000-7000-8000-000000000000'
    const followed = tell('subscriptions/listen', { notifications: { taskIds: [taskId, unknown] } })
    await approve(api, approvalId)
    const messages = await followed
    expect(messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    })
    expect(messages.at(-2)).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'completed', result: { structuredContent: { amount: '12.00' } } },
    })
    expect(messages.at(-1)?.result).toMatchObject({ resultType: 'complete' })
    const [without] = await tell('subscriptions/listen', { notifications: { taskIds: [taskId] } }, {})
    expect(without?.error).toMatchObject({ code: -32021, data: { requiredCapabilities: understands } })
  })
})
