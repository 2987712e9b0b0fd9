import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { startModernTools } from '#server/testing/fakes/greeting-server.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// Tool servers by both routes: the operator's stdio servers, and a manifest's own address. `npm run proof` runs servers that
// others wrote (server/testing/compatibility).

let api: TestApi
let modern: Awaited<ReturnType<typeof startModernTools>>
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  modern = await startModernTools()
  api = await startApi(
    { ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    {
      hostile: [join(import.meta.dirname, '../testing/fakes/hostile-tools.ts')],
      modern: [join(import.meta.dirname, '../testing/fakes/modern-tools.ts')],
    },
  )
  executions = executionsOf(api)
}, 180_000)
afterAll(async () => {
  await api.close()
  await modern.close()
})

const step = (id: string, server: string, name: string, args: unknown) => ({
  id,
  tool: { server, name, arguments: args },
})

describe('a server that the manifest names by address', () => {
  const proposed = async (mcp: unknown) => {
    const ci = await api.client('ci-pipeline')
    const name = `address-${Math.random().toString(36).slice(2)}`
    const runtime = { steps: [step('greet', 'remote', 'greet', {})] }
    const yaml = JSON.stringify({ metadata: { name }, spec: { runtime, tools: [{ mcp, allow: ['greet'] }] } })
    const { agentId } = payload<{ agentId: string }>(await api.mutate(ci, 'agents.create', { yaml }))
    return api.mutate(ci, 'releases.propose', { agentId, version: '1', environment: 'production' })
  }

  test.each([
    ['https://169.254.169.254/mcp', /does not resolve to a public address/],
    ['http://10.0.0.1/mcp', /must be called with https/],
    ['https://[::1]/mcp', /does not resolve to a public address/],
    ['https://[::ffff:10.0.0.1]/mcp', /does not resolve to a public address/],
  ])('at %s is rejected before anything is sent', async (url, message) => {
    const answer = await proposed({ server: 'remote', url })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(message)
  })

  test('cannot have the name of an operator’s server', async () => {
    const answer = await proposed({ server: 'modern', url: modern.url })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(/is already a tool server of this installation/)
  })

  test('with a secret that is not bound to the address cannot be released', async () => {
    const answer = await proposed({ server: 'remote', url: modern.url, auth: { secretRef: 'nowhere' } })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(
      /The secret nowhere may not be sent to http:\/\/127\.0\.0\.1:\d+ before this address is approved/,
    )
    expect(modern.methods).toEqual([])
  })
})

describe('servers that support only the revision 2026-07-28, without a handshake', () => {
  test.each([
    ['over stdio', 'modern', false],
    ['over HTTP', 'modern-remote', true],
  ])('%s', async (_way, server, remote) => {
    const agentId = await releaseAgent(api, `greets-${server}`, {
      steps: [step('one', server, 'greet', { name: 'Ada' }), step('two', server, 'greet', { name: 'Bob' })],
      tools: { [server]: ['greet'] },
      servers: remote ? { [server]: { url: modern.url } } : {},
    })
    expect(await executions.run(agentId, {})).toMatchObject({ status: 'succeeded', output: 'Good day, Bob.' })
  })

  test('never receive the older handshake', () => {
    expect(new Set(modern.methods)).toEqual(new Set(['server/discover', 'tools/list', 'tools/call']))
  })
})

test('a server whose tool differs from its released description is not called', async () => {
  const agentId = await releaseAgent(api, 'drifting', {
    steps: [
      step('before', 'hostile', 'echo', { value: 1 }),
      step('mutate', 'hostile', 'mutate', {}),
      step('after', 'hostile', 'echo', { value: 2 }),
    ],
    tools: { hostile: ['echo', 'mutate'] },
  })
  const { id, status, error, steps } = await executions.run(agentId, {})
  expect([status, error?.code]).toEqual(['denied', 'tool_drift'])
  expect(error?.message).toMatch(/hostile\.echo differs from its released version: description, inputSchema/)
  expect(steps.map((one) => one.status)).toEqual(['succeeded', 'succeeded', 'failed'])
  const refused = (await executions.events(id)).find((event) => event.type === 'tool.refused')
  expect(refused?.data.result).toMatchObject({
    differences: expect.arrayContaining([
      expect.objectContaining({ path: 'description', offered: 'Sends the value somewhere else, too.' }),
      expect.objectContaining({ path: 'inputSchema.properties.to', released: null }),
    ]),
  })
})
