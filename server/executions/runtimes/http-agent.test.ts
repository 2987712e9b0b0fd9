import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// An http agent is called with one POST, which is repeated after a lost answer only if the agent is declared idempotent.

let api: TestApi
let agent: Server
let base: string
const received: { path: string; key: string | undefined; body: { input?: unknown } }[] = []
let holding = true
beforeAll(async () => {
  agent = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const path = req.url ?? ''
    const key = req.headers['idempotency-key']
    received.push({ path, key: Array.isArray(key) ? key[0] : key, body: JSON.parse(Buffer.concat(chunks).toString()) })
    if (path === '/hold' && holding) return
    if (path === '/drop') return res.destroy()
    if (path === '/fail') return res.writeHead(422).end('no')
    if (path === '/redirect') return res.writeHead(307, { location: 'http://169.254.169.254/' }).end()
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
  })
  agent.listen(0, '127.0.0.1')
  await once(agent, 'listening')
  base = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
}, 180_000)
afterAll(async () => {
  await api.close()
  agent.closeAllConnections()
  agent.close()
  await once(agent, 'close')
})

const agentAt = (name: string, path: string, more: Record<string, unknown> = {}) =>
  releaseAgent(api, name, { runtime: { http: { url: `${base}${path}`, ...more } }, tools: {} })
const at = (path: string) => received.filter((one) => one.path === path)

test('the response is the output', async () => {
  const { run } = executionsOf(api)
  const { id, status, output } = await run(await agentAt('http-ok', '/ok'), { ask: 1 })
  expect([status, output]).toEqual(['succeeded', { done: true }])
  expect(at('/ok')).toEqual([{ path: '/ok', key: `${id}:call`, body: expect.objectContaining({ input: { ask: 1 } }) }])
})

test.each([
  ['/fail', 'failed', 'agent_failed'],
  ['/redirect', 'failed', 'agent_failed'],
  ['/drop', 'indeterminate', 'outcome_unknown'],
])('a response from %s ends the execution as %s after one call', async (path, status, code) => {
  const { run } = executionsOf(api)
  const execution = await run(await agentAt(`http${path.replace('/', '-')}`, path), {})
  expect([execution.status, execution.error?.code]).toEqual([status, code])
  expect(at(path)).toHaveLength(1)
})

test('after kill -9 during the call, an idempotent agent is called again with the same key', async () => {
  const { start, ended } = executionsOf(api)
  const id = await start(await agentAt('http-hold', '/hold', { idempotent: true }), {})
  await until(async () => (at('/hold').length === 1 ? true : undefined), 'the agent was called')
  holding = false
  await api.killAndRestart()
  expect((await ended(id, 60_000)).status).toBe('succeeded')
  expect(at('/hold').map((one) => one.key)).toEqual([`${id}:call`, `${id}:call`])
}, 90_000)
