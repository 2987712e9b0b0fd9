import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { referenceServer, startEverything } from '#server/testing/fakes/everything-server.ts'
import { startModernTools } from '#server/testing/fakes/greeting-server.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// Tool servers that others wrote, by both roads: the operator's stdio servers, and a manifest's own address.

let api: TestApi
let folder: string
let everything: Awaited<ReturnType<typeof startEverything>>
let modern: Awaited<ReturnType<typeof startModernTools>>
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tools-'))
  await writeFile(join(folder, 'note.txt'), 'Paid in full.')
  everything = await startEverything()
  modern = await startModernTools()
  api = await startApi(
    { ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    {
      hostile: [join(import.meta.dirname, '../testing/fakes/hostile-tools.ts')],
      modern: [join(import.meta.dirname, '../testing/fakes/modern-tools.ts')],
      everything: [referenceServer('everything'), 'stdio'],
      filesystem: [referenceServer('filesystem'), folder],
      memory: { args: [referenceServer('memory')], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    },
  )
  executions = executionsOf(api)
}, 180_000)
afterAll(async () => {
  await api.close()
  await everything.close()
  await modern.close()
  await rm(folder, { recursive: true })
})

const step = (id: string, server: string, name: string, args: unknown) => ({
  id,
  tool: { server, name, arguments: args },
})

describe('the protocol’s own servers over stdio', () => {
  test('everything: a sum', async () => {
    const agentId = await releaseAgent(api, 'sum', {
      steps: [step('sum', 'everything', 'get-sum', { a: `\${input.a}`, b: 4 })],
      tools: { everything: ['get-sum'] },
    })
    const { status, output } = await executions.run(agentId, { a: 3 })
    expect([status, output]).toEqual(['succeeded', 'The sum of 3 and 4 is 7.'])
  })

  test('filesystem: a file is read, and one outside of its folder is not', async () => {
    const agentId = await releaseAgent(api, 'files', {
      steps: [step('read', 'filesystem', 'read_text_file', { path: `\${input.path}` })],
      tools: { filesystem: ['read_text_file'] },
    })
    const inside = await executions.run(agentId, { path: join(folder, 'note.txt') })
    expect(inside).toMatchObject({ status: 'succeeded', output: { content: 'Paid in full.' } })
    const outside = await executions.run(agentId, { path: '/etc/hostname' })
    expect(outside).toMatchObject({ status: 'failed', error: { code: 'tool_failed' } })
  })

  test('memory: what one execution writes, the server keeps once', async () => {
    const entities = [{ name: 'Northwind', entityType: 'tenant', observations: ['pays'] }]
    const agentId = await releaseAgent(api, 'memory', {
      steps: [
        step('write', 'memory', 'create_entities', { entities }),
        step('read', 'memory', 'search_nodes', { query: 'Northwind' }),
      ],
      tools: { memory: ['create_entities', 'search_nodes'] },
    })
    expect(await executions.run(agentId, {})).toMatchObject({ status: 'succeeded', output: { entities } })
    const kept = await readFile(join(folder, 'memory.jsonl'), 'utf8')
    expect(kept.match(/"Northwind"/g)).toHaveLength(1)
  })
})

describe('a server that the manifest names by address', () => {
  test('everything over streamable HTTP', async () => {
    const agentId = await releaseAgent(api, 'remote-sum', {
      steps: [step('sum', 'remote', 'get-sum', { a: 1, b: 2 })],
      tools: { remote: ['get-sum'] },
      servers: { remote: { url: everything.url } },
    })
    expect(await executions.run(agentId, {})).toMatchObject({
      status: 'succeeded',
      output: 'The sum of 1 and 2 is 3.',
    })
  })

  const proposed = async (mcp: unknown) => {
    const ci = await api.client('ci-pipeline')
    const name = `address-${Math.random().toString(36).slice(2)}`
    const runtime = { steps: [step('sum', 'remote', 'get-sum', {})] }
    const yaml = JSON.stringify({ metadata: { name }, spec: { runtime, tools: [{ mcp, allow: ['get-sum'] }] } })
    const { agentId } = payload<{ agentId: string }>(await api.mutate(ci, 'agents.create', { yaml }))
    return api.mutate(ci, 'releases.propose', { agentId, version: '1', environment: 'production' })
  }

  test.each([
    ['https://169.254.169.254/mcp', /does not lead to a public address/],
    ['http://10.0.0.1/mcp', /must be called by https/],
    ['https://[::1]/mcp', /does not lead to a public address/],
    ['https://[::ffff:10.0.0.1]/mcp', /does not lead to a public address/],
    ['https://operator:secret@1.1.1.1/mcp', /no user or password/],
  ])('%s is refused before anything is sent', async (url, message) => {
    const answer = await proposed({ server: 'remote', url })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(message)
  })

  test('it can’t take the name of one of the operator’s', async () => {
    const answer = await proposed({ server: 'everything', url: everything.url })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(/give yours another name/)
  })

  test('a secret that is not there stops the release', async () => {
    const answer = await proposed({ server: 'remote', url: everything.url, auth: { secretRef: 'nowhere' } })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(/no live secret nowhere/)
  })
})

describe('servers that speak the revision 2026-07-28 alone, without a handshake', () => {
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

  test('nobody tried the handshake of before on them', () => {
    expect(new Set(modern.methods)).toEqual(new Set(['server/discover', 'tools/list', 'tools/call']))
  })
})

test('a server that describes a tool otherwise than it was released is not called', async () => {
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
  expect(error?.message).toMatch(/hostile\.echo is not as it was released: description, inputSchema/)
  expect(steps.map((one) => one.status)).toEqual(['succeeded', 'succeeded', 'failed'])
  const refused = (await executions.events(id)).find((event) => event.type === 'tool.refused')
  expect(refused?.data.result).toMatchObject({
    differences: expect.arrayContaining([
      expect.objectContaining({ path: 'description', offered: 'Sends the value somewhere else, too.' }),
      expect.objectContaining({ path: 'inputSchema.properties.to', released: null }),
    ]),
  })
})
