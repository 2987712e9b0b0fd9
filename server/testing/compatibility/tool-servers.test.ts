import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../api.ts'
import { executionsOf } from '../executions.ts'
import { releaseAgent } from '../released-agent.ts'
import { referenceServer, startEverything } from './reference-servers.ts'

// The protocol's reference servers, by both routes: as the operator's stdio servers, and at the address of a manifest.

let api: TestApi
let folder: string
let everything: Awaited<ReturnType<typeof startEverything>>
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tools-'))
  await writeFile(join(folder, 'note.txt'), 'Paid in full.')
  everything = await startEverything()
  api = await startApi(
    { ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    {
      everything: [referenceServer('everything'), 'stdio'],
      filesystem: [referenceServer('filesystem'), folder],
      memory: { args: [referenceServer('memory')], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    },
  )
  executions = executionsOf(api)
})
afterAll(async () => {
  await api.close()
  await everything.close()
  await rm(folder, { recursive: true })
})

const step = (id: string, server: string, name: string, args: unknown) => ({
  id,
  tool: { server, name, arguments: args },
})

describe('the protocol’s reference servers over stdio', () => {
  test('“everything” returns a sum', async () => {
    const agentId = await releaseAgent(api, 'sum', {
      steps: [step('sum', 'everything', 'get-sum', { a: `\${input.a}`, b: 4 })],
      tools: { everything: ['get-sum'] },
    })
    const { status, output } = await executions.run(agentId, { a: 3 })
    expect([status, output]).toEqual(['succeeded', 'The sum of 3 and 4 is 7.'])
  })

  test('“filesystem” reads a file, except outside its folder', async () => {
    const agentId = await releaseAgent(api, 'files', {
      steps: [step('read', 'filesystem', 'read_text_file', { path: `\${input.path}` })],
      tools: { filesystem: ['read_text_file'] },
    })
    const inside = await executions.run(agentId, { path: join(folder, 'note.txt') })
    expect(inside).toMatchObject({ status: 'succeeded', output: { content: 'Paid in full.' } })
    const outside = await executions.run(agentId, { path: '/etc/hostname' })
    expect(outside).toMatchObject({ status: 'failed', error: { code: 'tool_failed' } })
  })

  test('“memory” stores an execution’s write once', async () => {
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

test('“everything” over streamable HTTP', async () => {
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
