import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// One process, and the agent of one tenant, which accepts every call and never answers.

let api: TestApi
let agent: Server
let base: string
let hanging = 0
beforeAll(async () => {
  agent = createServer((req, res) => {
    if (req.url === '/hang') hanging += 1
    else res.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
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

test('calls of one tenant that are not answered do not stop the executions of another', async () => {
  const other: TestApi = {
    ...api,
    person: (username) => api.person(username, 'globex'),
    client: (clientId) => api.client(clientId, 'globex'),
  }
  const agentAt = (tenant: TestApi, name: string, path: string) =>
    releaseAgent(tenant, name, { runtime: { http: { url: `${base}${path}` } }, tools: {} })
  const [hangs, answers] = [await agentAt(api, 'hangs', '/hang'), await agentAt(other, 'answers', '/ok')]
  for (let n = 0; n < 16; n++) await executionsOf(api).start(hangs, {})
  await until(async () => hanging >= 6 || undefined, 'the calls that hang')
  for (let n = 0; n < 3; n++) expect((await executionsOf(other).run(answers, {})).status).toBe('succeeded')
  expect(hanging).toBeLessThan(8)
}, 120_000)
