import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type A2aAgent, startA2aAgent } from '#server/testing/fakes/a2a-agent.ts'
import { type RemoteTools, startRemoteTools } from '#server/testing/fakes/remote-tools.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { runningSpansOfEnded } from '#server/testing/running-spans.ts'
import { until } from '#server/testing/until.ts'

// A stop reaches work outside Countersign, and its outcome is what the other side reported. stop.test.ts asserts the limit of
// five seconds.

let api: TestApi
let operator: string
let executions: ReturnType<typeof executionsOf>
let desk: A2aAgent
let tools: RemoteTools
let http: Server
let httpUrl: string
const posts: { answer: ServerResponse; closed: boolean }[] = []
beforeAll(async () => {
  desk = await startA2aAgent()
  tools = await startRemoteTools()
  http = createServer((req, answer) => {
    const post = { answer, closed: false }
    answer.on('close', () => {
      post.closed = true
    })
    req.resume().on('end', () => posts.push(post))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  httpUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
  operator = await api.person('omar')
  executions = executionsOf(api)
}, 180_000)
beforeEach(() => {
  desk.received.length = 0
  posts.length = 0
  tools.calls.length = 0
  tools.canceled.length = 0
})
// The trace of an execution ends with it, so nothing in it may seem to go on.
afterEach(async () => expect(await runningSpansOfEnded(api)).toEqual([]))
afterAll(async () => {
  await api.close()
  await desk.close()
  await tools.close()
  http.closeAllConnections()
  http.close()
  await once(http, 'close')
})

type Stopped = { revision: number; stopRequestedAt: string | null; stopConfirmedAt: string | null }
const read = async (id: string) => ({
  ...(await executions.get(id)),
  ...payload<Stopped>(await api.query(operator, 'executions.get', { id })),
})
const cancel = async (id: string) => {
  const { revision } = await read(id)
  payload(await api.mutate(operator, 'executions.cancel', { id, expectedRevision: revision, reason: 'Not this one.' }))
}
/** The execution as it ended after `stop`. */
async function stopped(id: string, stop: (id: string) => Promise<void> = cancel) {
  await stop(id)
  await executions.ended(id)
  return await read(id)
}
const types = async (id: string) => (await executions.events(id)).map(({ type }) => type)
const journaled = (id: string, type: string) =>
  until(async () => ((await types(id)).includes(type) ? true : undefined), `${id} ${type}`)
const audited = (action: string) =>
  until(
    async () => {
      const { text } = await api.query(await api.person('vera'), 'audit.list', { limit: 50 })
      return text.includes(`"type":"${action}"`) ? true : undefined
    },
    action,
    60_000,
  )

describe('an A2A task', () => {
  let agentId: string
  beforeAll(async () => {
    agentId = await releaseAgent(api, 'stop-a2a', { runtime: { a2a: { card: desk.card } }, tools: {} })
  })
  const told = () => desk.received.filter(({ method }) => method === 'CancelTask')
  const working = async () => {
    const id = await executions.start(agentId, { text: 'slowly' })
    await journaled(id, 'agent.working')
    return id
  }
  const taskIdOf = async (id: string) =>
    (await executions.events(id)).find(({ type }) => type === 'agent.working')?.data.taskId

  test('is canceled at its agent, which confirms the stop', async () => {
    desk.behave('hold')
    const id = await working()
    const over = await stopped(id)
    expect([over.status, over.error?.code]).toEqual(['canceled', 'canceled'])
    expect(over.stopConfirmedAt).not.toBeNull()
    expect(told().map(({ taskId }) => taskId)).toContain(await taskIdOf(id))
    expect(await types(id)).toContain('agent.canceled')
  })

  test('is also canceled by the kill switch', async () => {
    desk.behave('hold')
    const ids = [await working(), await working()]
    const { revision } = payload<{ revision: number }>(await api.query(operator, 'agents.get', { id: agentId }))
    const operate = { id: agentId, reason: 'As agreed.' }
    const off = payload<{ revision: number; stopping: number }>(
      await api.mutate(operator, 'agents.suspend', { ...operate, expectedRevision: revision }),
    )
    expect(off.stopping).toBe(2)
    for (const id of ids) {
      expect((await executions.ended(id)).error?.code).toBe('agent_suspended')
      expect((await read(id)).stopConfirmedAt).not.toBeNull()
    }
    expect(new Set(told().map(({ taskId }) => taskId)).size).toBe(2)
    payload(await api.mutate(operator, 'agents.resume', { ...operate, expectedRevision: off.revision }))
  })

  test('that waits for an answer is canceled as well', async () => {
    desk.behave('ask')
    const id = await executions.start(agentId, { text: 'refund' })
    await journaled(id, 'input.requested')
    const over = await stopped(id)
    expect([over.status, over.stopConfirmedAt === null]).toEqual(['canceled', false])
    expect(told()).not.toEqual([])
  })

  test('that its agent refuses to cancel is indeterminate', async () => {
    desk.behave('hold', 'refuse')
    const over = await stopped(await working())
    expect([over.status, over.error?.code, over.stopConfirmedAt]).toEqual(['indeterminate', 'outcome_unknown', null])
    expect(over.error?.message).toContain('did not confirm that it ended the task')
    desk.release()
  })

  test('that completed before it could be canceled keeps its answer', async () => {
    desk.behave('hold', 'complete')
    const id = await working()
    const over = await stopped(id)
    expect([over.status, over.stopConfirmedAt === null]).toEqual(['canceled', false])
    expect(over.steps.map(({ status }) => status)).toEqual(['succeeded'])
    expect(await types(id)).toContain('agent.returned')
  })

  test('of a silent agent is indeterminate in time; the cancel is retried, and a late answer is recorded', async () => {
    desk.behave('hold', 'silent')
    const id = await working()
    const over = await stopped(id)
    expect([over.status, over.stopConfirmedAt]).toEqual(['indeterminate', null])
    desk.behave('hold')
    await audited('agent.canceled_late')
    expect((await read(id)).status).toBe('indeterminate')
  }, 90_000)

  test('known to a killed server is canceled by the next process', async () => {
    desk.behave('hold', 'silent')
    const id = await working()
    await cancel(id)
    await api.killAndRestart()
    desk.behave('hold')
    const over = await executions.ended(id, 60_000)
    expect(['canceled', 'indeterminate']).toContain(over.status)
    await until(async () => (told().length > 0 ? true : undefined), 'the agent was asked to cancel', 60_000)
    await audited(over.status === 'canceled' ? 'execution.canceled' : 'agent.canceled_late')
  }, 150_000)
})

describe('the POST of an http runtime', () => {
  let agentId: string
  beforeAll(async () => {
    agentId = await releaseAgent(api, 'stop-http', { runtime: { http: { url: httpUrl } }, tools: {} })
  })
  const posted = async () => {
    const id = await executions.start(agentId, {})
    const post = await until(async () => posts[0], 'the agent was called')
    return { id, post }
  }

  test('is aborted, and its outcome is unknown', async () => {
    const { id, post } = await posted()
    const over = await stopped(id)
    expect([over.status, over.error?.code, over.stopConfirmedAt]).toEqual(['indeterminate', 'outcome_unknown', null])
    await until(async () => (post.closed ? true : undefined), 'the request was aborted')
    expect(post.answer.writableEnded).toBe(false)
  })

  test('that is answered immediately has a confirmed outcome', async () => {
    const { id, post } = await posted()
    const over = await stopped(id, async () => {
      await cancel(id)
      post.answer.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
    })
    expect([over.status, over.stopConfirmedAt === null]).toEqual(['canceled', false])
    expect(over.steps.map(({ status }) => status)).toEqual(['succeeded'])
  })
})

describe('a tool call of a remote MCP server', () => {
  let agentId: string
  beforeAll(async () => {
    agentId = await releaseAgent(api, 'stop-mcp', {
      steps: [{ id: 'pay', tool: { server: 'remote', name: 'pay', arguments: { id: 'A-1' } } }],
      tools: { remote: ['pay'] },
      servers: { remote: { url: tools.url } },
    })
  })
  const called = async () => {
    const id = await executions.start(agentId, {})
    const call = await until(async () => tools.calls[0], 'the tool was called')
    return { id, call }
  }

  test('is canceled at the server and indeterminate', async () => {
    const { id, call } = await called()
    expect(call.key).toBe(`${id}:pay`)
    const over = await stopped(id)
    expect([over.status, over.error?.code, over.stopConfirmedAt]).toEqual(['indeterminate', 'outcome_unknown', null])
    await until(
      async () => (tools.canceled.includes(call.requestId) ? true : undefined),
      'the server was asked to cancel',
    )
  })

  test('that is answered immediately has a confirmed outcome', async () => {
    const { id } = await called()
    const over = await stopped(id, async () => {
      await cancel(id)
      tools.release()
    })
    expect([over.status, over.stopConfirmedAt === null]).toEqual(['canceled', false])
    expect(over.steps.map(({ status }) => status)).toEqual(['succeeded'])
  })
})
