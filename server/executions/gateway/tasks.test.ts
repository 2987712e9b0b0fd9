import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#server/kernel/db/database.ts'
import { createLog } from '#server/kernel/log.ts'
import { type Calls, callsTo, payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type SecondNode, secondNode } from '#server/testing/processes/second-node.ts'
import { modernRequest, request, sendRaw } from '#server/testing/raw-mcp.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { runningSpansOfEnded } from '#server/testing/running-spans.ts'
import { until } from '#server/testing/until.ts'
import { deleteExpiredTasks } from './task-store.ts'

// Whose tasks are whose, and where they are: in tables, for every node and after a restart. revisions.test.ts has the messages.

let api: TestApi
let other: SecondNode
const tools = { payments: ['lookup_order', 'issue_refund'] }
beforeAll(async () => {
  api = await startApi()
  other = await secondNode(api)
  for (const name of ['tasks', 'others']) await releaseAgent(api, name, { runtime: { observe: {} }, tools })
}, 180_000)
afterAll(async () => {
  await other.close()
  await api.close()
})

const addressOf = (agent: string) => `/v1/mcp/t/org-northwind-mutual/${agent}/payments`

const understands = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

type Where = { username?: string; token?: string; agent?: string; at?: Calls }
/** One request of 2025-11-25, and the last message of its answer. */
async function tell(
  method: string,
  params: object,
  { username = 'maria', token, agent = 'tasks', at = api }: Where = {},
) {
  const to = { token: token ?? (await api.person(username)), path: addressOf(agent) }
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  return (await sendRaw(at, to, request(1, method, { ...params }), headers)).messages.at(-1) ?? {}
}
const refund = (amount: string) => ({ name: 'issue_refund', arguments: { id: 'A-1003', amount, currency: 'EUR' } })
async function taskFor(amount: string, where?: Where): Promise<string> {
  const { result } = await tell('tools/call', { ...refund(amount), task: {} }, where)
  return String(Object(result?.task).taskId)
}
const stateOf = async (taskId: string, where?: Where) =>
  ((await tell('tasks/get', { taskId }, where)).result ?? {}) as { status?: string; statusMessage?: string }
const approvalOf = (taskId: string) =>
  until(
    async () => /approvals\/([0-9a-f-]{36})/.exec((await stateOf(taskId)).statusMessage ?? '')?.[1],
    `${taskId} waits for approval`,
  )
const calls = async () => (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => '')).split('\n')

async function bySql(text: string, values: unknown[]) {
  const client = new Client({ connectionString: api.ownerUrl })
  await client.connect()
  const { rows } = await client.query(text, values).finally(() => client.end())
  return rows
}

describe('a task belongs to the caller that made it', () => {
  const foreign: [string, Where][] = [
    ['another member', { username: 'omar' }],
    ['the address of another agent', { agent: 'others' }],
  ]

  test.each(foreign)('%s can’t read, cancel or list it', async (_, where) => {
    const taskId = await taskFor('1.00')
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await tell(method, { taskId }, where)).error).toMatchObject({ code: -32602 })
    expect(JSON.stringify((await tell('tasks/list', {}, where)).result)).not.toContain(taskId)
    expect(JSON.stringify((await tell('tasks/list', {})).result)).toContain(taskId)
    expect(await stateOf(taskId)).toMatchObject({ status: 'working' })
  })

  test.each([
    ['through another tool server', 'update gateway_tasks set server = $2 where id = $1', 'crm', '1.25'],
    [
      'in another environment',
      'update executions set environment = $2 where id = (select execution_id from gateway_tasks where id = $1)',
      'staging',
      '1.30',
    ],
  ])('and can’t be read %s', async (_, change, value, amount) => {
    const taskId = await taskFor(amount)
    expect(await stateOf(taskId)).toMatchObject({ status: 'working' })
    await bySql(change, [taskId, value])
    expect((await tell('tasks/get', { taskId })).error).toMatchObject({ code: -32602 })
    expect((await tell('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 })
  })

  test('of another client, although it is the same person', async () => {
    const taskId = await taskFor('1.50')
    await bySql('update gateway_tasks set client_id = $2 where id = $1', [taskId, 'https://editor.example/client.json'])
    expect((await tell('tasks/get', { taskId })).error).toMatchObject({ code: -32602 })
    expect(JSON.stringify((await tell('tasks/list', {})).result)).not.toContain(taskId)
  })

  test('until it expires: then the same call is a new task of the same request', async () => {
    const taskId = await taskFor('2.00')
    const approvalId = await approvalOf(taskId)
    await bySql('update gateway_tasks set expires_at = clock_timestamp() where id = $1', [taskId])
    expect((await tell('tasks/get', { taskId })).error).toMatchObject({ code: -32602 })
    const again = await taskFor('2.00')
    expect(again).not.toBe(taskId)
    expect(await approvalOf(again)).toBe(approvalId)
  })
})

test('a restart and another node know the task, and either can return its result', async () => {
  const node = callsTo(other.baseUrl, api.credentials)
  const taskId = await taskFor('3.00')
  const approvalId = await approvalOf(taskId)
  expect(await stateOf(taskId, { at: node })).toMatchObject({ status: 'working' })
  await api.killAndRestart()
  expect(await stateOf(taskId)).toMatchObject({ status: 'working' })
  const result = tell('tasks/result', { taskId }, { at: node })
  await approve(api, approvalId)
  expect((await result).result).toMatchObject({ structuredContent: { amount: '3.00' } })
  expect(await stateOf(taskId)).toMatchObject({ status: 'completed' })
}, 120_000)

test('whose request is rejected has a result that names the request', async () => {
  const taskId = await taskFor('3.50')
  const approvalId = await approvalOf(taskId)
  const decision = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'Not this one.' }
  payload(await api.mutate(await api.person('jonas'), 'approvals.decide', decision))
  const { result } = await tell('tasks/result', { taskId })
  const url = expect.stringContaining(`/approvals/${approvalId}`)
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'approval_rejected', approvalId, url } })
})

test('a client that does not wait for the result has not taken it', async () => {
  const taskId = await taskFor('4.00')
  await approve(api, await approvalOf(taskId))
  await until(async () => ((await stateOf(taskId)).status === 'completed' ? true : undefined), 'the task completed')
  for (let again = 0; again < 3; again++) expect(await taskFor('4.00')).toBe(taskId)
  const result = await tell('tasks/result', { taskId })
  expect(result.result).toMatchObject({ structuredContent: { amount: '4.00' } })
  expect(await taskFor('4.00')).not.toBe(taskId)
})

/** A service account with a token for the gateway, and what revokes that. */
async function gatewayToken() {
  const admin = await api.client('admin-automation')
  const account = { name: 'Waiting agent', roles: ['operator'] }
  const { clientId } = payload<{ clientId: string }>(await api.mutate(admin, 'serviceAccounts.create', account))
  const [{ id: serviceAccountId }] = await bySql('select id from members where username = $1', [clientId])
  const made = { name: 'editor', serviceAccountId, use: 'gateway', agents: ['tasks'] }
  const { id, token } = payload<{ id: string; token: string }>(await api.mutate(admin, 'connectionTokens.create', made))
  return { token, revoke: async () => payload(await api.mutate(admin, 'connectionTokens.revoke', { id })) }
}

/** A request whose answer has begun. */
async function begun(token: string, message: object, headers: Record<string, string>) {
  const { body } = await fetch(new URL(addressOf('tasks'), api.baseUrl), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => (await reader?.read())?.value
  const first = (await read()) ?? ''
  const toTheEnd = async () => {
    let text = first
    for (let more = await read(); more !== undefined; more = await read()) text += more
    return text
  }
  return { first, toTheEnd }
}
const legacy = { 'mcp-protocol-version': '2025-11-25' }

test('a caller that loses its access while it waits does not get the result', async () => {
  const { token, revoke } = await gatewayToken()
  const taskId = await taskFor('4.50', { token })
  const waiting = await begun(token, request(1, 'tasks/result', { taskId }), legacy)
  expect(waiting.first).toContain('notifications/tasks/status')
  const listen = modernRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }, understands)
  const following = await begun(token, listen.message, listen.headers)
  expect(following.first).toContain('notifications/subscriptions/acknowledged')
  const held = await begun(
    token,
    request(2, 'tools/call', { ...refund('4.60'), _meta: { progressToken: 'held' } }),
    legacy,
  )
  expect(held.first).toContain('notifications/progress')
  await revoke()
  // All of them end now, although no one has decided the requests.
  expect(await waiting.toTheEnd()).toContain('"code":-32603')
  expect(await following.toTheEnd()).toContain('"resultType":"complete"')
  expect(await held.toTheEnd()).toContain('"code":"unauthorized"')
  expect((await sendRaw(api, { token, path: addressOf('tasks') }, listen.message, listen.headers)).status).toBe(401)
})

test('only tasks that have expired are removed, and no call with them', async () => {
  const [kept, expired] = [await taskFor('4.70'), await taskFor('4.80')]
  const [{ execution_id: executionId }] = await bySql('select execution_id from gateway_tasks where id = $1', [expired])
  await bySql('update gateway_tasks set expires_at = clock_timestamp() where id = $1', [expired])
  const tenants = await bySql('select distinct tenant_id as id from gateway_tasks', [])
  const database = openDatabase(api.ownerUrl, createLog('silent'), { poolSize: 1 })
  for (const { id } of tenants) await database.inTenant(id, (tx) => deleteExpiredTasks(tx, id))
  await database.close()
  const left = await bySql('select id from gateway_tasks where id = any($1)', [[kept, expired]])
  expect(left.map(({ id }) => id)).toEqual([kept])
  expect(await bySql('select id from executions where id = $1', [executionId])).toHaveLength(1)
})

describe('canceling a task', () => {
  test('cancels the call for each client of the person that made the same call: it is one call', async () => {
    const ofClient = (client: string | null, taskId: string) =>
      bySql('update gateway_tasks set client_id = $2 where id = $1', [taskId, client])
    const first = await taskFor('5.50')
    await ofClient('https://editor.example/client.json', first)
    const second = await taskFor('5.50')
    expect(second).not.toBe(first)
    expect((await tell('tasks/cancel', { taskId: second })).result).toMatchObject({ status: 'cancelled' })
    await ofClient('https://other.example/client.json', second)
    await ofClient(null, first)
    await until(async () => ((await stateOf(first)).status === 'cancelled' ? true : undefined), 'the first is canceled')
  })

  test('withdraws its request, and is in the audit log', async () => {
    const taskId = await taskFor('5.00')
    const approvalId = await approvalOf(taskId)
    expect((await tell('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' })
    const { text } = await api.query(await api.person('jonas'), 'approvals.get', { approvalId })
    expect(text).toContain('"status":"canceled"')
    expect(await runningSpansOfEnded(api)).toEqual([])
    const audit = await api.query(await api.person('vera'), 'audit.list', { limit: 20 })
    expect(audit.text).toContain('"type":"execution.stop_requested"')
    expect(audit.text).toContain('"type":"approval.canceled"')
  })

  test('during its call stays canceled, whatever becomes of the call', async () => {
    const hold = join(api.gate, 'hold-lookup_order')
    await writeFile(hold, '')
    const params = { name: 'lookup_order', arguments: { id: 'A-1001' } }
    const { result } = await tell('tools/call', { ...params, task: {} })
    const taskId = String(Object(result?.task).taskId)
    const [{ execution_id: executionId }] = await bySql('select execution_id from gateway_tasks where id = $1', [
      taskId,
    ])
    await until(
      async () => ((await calls()).some((line) => line.includes(executionId)) ? true : undefined),
      'the tool was called',
    )
    expect((await tell('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' })
    await rm(hold)
    await executionsOf(api).ended(executionId)
    expect(await stateOf(taskId)).toMatchObject({ status: 'cancelled' })
    expect((await tell('tasks/result', { taskId })).result).toMatchObject({ isError: true })
  })
})
