import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type FaultyTools, startFaultyTools } from '#server/testing/fakes/faulty-tools.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// What a tool server answers instead of a result decides whether the outcome of the call is known, and people read the answer.

let api: TestApi
let executions: ReturnType<typeof executionsOf>
let servers: Record<'modern' | 'legacy', FaultyTools>
beforeAll(async () => {
  servers = { modern: await startFaultyTools({ legacy: false }), legacy: await startFaultyTools({ legacy: true }) }
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
  executions = executionsOf(api)
}, 180_000)
beforeEach(() => {
  for (const { keys } of Object.values(servers)) keys.length = 0
})
afterAll(async () => {
  await api.close()
  for (const server of Object.values(servers)) await server.close()
})

type Era = keyof typeof servers
const agents = new Map<string, Promise<string>>()

/** An agent whose only step calls a tool with the fault of its input. */
function agentFor(era: Era, tool: 'once' | 'often', auth?: { secretRef: string }): Promise<string> {
  const name = [era, tool, auth?.secretRef].filter((part) => part !== undefined).join('-')
  const known = agents.get(name)
  if (known !== undefined) return known
  const agent = releaseAgent(api, name, {
    steps: [{ id: 'call', tool: { server: 'faulty', name: tool, arguments: { fault: `\${input.fault}` } } }],
    tools: { faulty: [tool] },
    servers: { faulty: { url: servers[era].url, ...(auth === undefined ? {} : { auth }) } },
  })
  agents.set(name, agent)
  return agent
}

const run = async (era: Era, tool: 'once' | 'often', fault: string) =>
  executions.run(await agentFor(era, tool), { fault })
const journalOf = async (id: string) => (await executions.events(id)).map(({ type, data }) => ({ type, data }))
const auditOf = async (id: string): Promise<string[]> => {
  const { items } = payload<{ items: { type: string }[] }>(
    await api.query(await api.person('vera'), 'audit.list', { resourceId: id }),
  )
  return items.map(({ type }) => type).reverse()
}

describe.each(['modern', 'legacy'] as const)('a %s server', (era) => {
  test.each([
    ['unauthorized', 401],
    ['forbidden', 403],
  ])('that answers %s has not run the tool: the call fails, and is not repeated', async (fault, status) => {
    const { id, error, ...execution } = await run(era, 'often', fault)
    expect([execution.status, error?.code]).toEqual(['failed', 'tool_failed'])
    expect(error?.message).toBe(
      `faulty.often: The tool server faulty answered ${status}: it refused a request without a credential, and nothing ran. Add auth.secretRef to the server in the manifest.`,
    )
    expect(servers[era].keys).toEqual([`${id}:call`])
    expect((await journalOf(id)).map(({ type }) => type)).toContain('tool.failed')
    expect((await auditOf(id)).slice(-3)).toEqual(['tool.called', 'tool.failed', 'execution.failed'])
  })

  test.each([
    ['redirect', 'its server answered 307, a redirect that is not followed'],
    ['html', 'its server answered text/html, which is not MCP'],
    ['bad-gateway', 'its server answered 502'],
    ['reset', 'its server did not return a result (UND_ERR_SOCKET)'],
  ])('that answers %s may have run the tool: the outcome is unknown, with the answer', async (fault, reason) => {
    const { id, status, error, traceId } = await run(era, 'once', fault)
    expect([status, error]).toEqual([
      'indeterminate',
      { code: 'outcome_unknown', message: `It is unknown whether faulty.once ran: ${reason}.` },
    ])
    expect(servers[era].keys).toEqual([`${id}:call`])
    expect(await journalOf(id)).toContainEqual({ type: 'tool.outcome_unknown', data: { attempt: 1, reason } })
    expect((await auditOf(id)).slice(-2)).toEqual(['tool.called', 'execution.indeterminate'])
    const { text } = await api.query(await api.person('maria'), 'traces.getTrace', { traceId })
    expect(text).toContain(`The outcome of this call is unknown: ${reason}.`)
  })
})

describe.each(['modern', 'legacy'] as const)('the stream of a %s server', (era) => {
  test.each(['cut-line', 'ended-early', 'cut-resumable'])(
    '(%s) that ends before the result is not waited for',
    async (fault) => {
      const { id, status, error } = await run(era, 'once', fault)
      expect([status, error?.message]).toEqual([
        'indeterminate',
        'It is unknown whether faulty.once ran: its server ended the response before the result.',
      ])
      expect(servers[era].keys).toEqual([`${id}:call`])
    },
  )

  test('that is cut after the result succeeds', async () => {
    expect(await run(era, 'once', 'result-then-cut')).toMatchObject({ status: 'succeeded', output: 'Done.' })
  })
})

test('a server that refuses a secret is named with it', async () => {
  const { modern } = servers
  const secret = { name: 'faulty-key', value: 'of yesterday', destinations: [new URL(modern.url).origin] }
  payload(await api.mutate(await api.client('admin-automation'), 'secrets.create', secret))
  const agentId = await agentFor('modern', 'once', { secretRef: secret.name })
  const { status, error } = await executions.run(agentId, { fault: 'unauthorized' })
  expect([status, error?.message]).toEqual([
    'failed',
    'faulty.once: The tool server faulty answered 401: it refused the secret faulty-key, and nothing ran. Store a value that the server accepts.',
  ])
})

const releasedAt = (path: string) =>
  releaseAgent(api, `at-${path}`, {
    runtime: { observe: {} },
    tools: { faulty: ['once'] },
    servers: { faulty: { url: new URL(path, servers.modern.url).href } },
  })

test('a tool server may redirect within its origin', async () => {
  expect(await run('modern', 'once', 'redirect-within')).toMatchObject({ status: 'succeeded', output: 'Done.' })
  await expect(releasedAt('moved')).resolves.toBeDefined()
})

test('a tool server that redirects to another origin is not used, and the refusal says so', async () => {
  await expect(releasedAt('gone')).rejects.toThrow(
    'The tool server faulty answered 308, a redirect to another origin, which is not followed.',
  )
})

test('an idempotent tool without a result is called again with the same key, at most five times', async () => {
  const { id, status, error } = await executions.ended(
    await executions.start(await agentFor('modern', 'often'), { fault: 'html' }),
    60_000,
  )
  expect([status, error?.message]).toEqual([
    'indeterminate',
    'It is unknown whether faulty.often ran: its server answered text/html, which is not MCP.',
  ])
  expect(servers.modern.keys).toEqual(Array.from({ length: 5 }, () => `${id}:call`))
  const unknown = (await journalOf(id)).filter(({ type }) => type === 'tool.outcome_unknown')
  expect(unknown.map(({ data }) => data.attempt)).toEqual([1, 2, 3, 4, 5])
}, 90_000)

test('a client of the gateway reads the same', async () => {
  await releaseAgent(api, 'elsewhere', {
    runtime: { observe: {} },
    tools: { faulty: ['once'] },
    servers: { faulty: { url: servers.modern.url } },
  })
  const client = new Client({ name: 'external agent', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/v1/mcp/elsewhere/faulty', api.baseUrl), {
      requestInit: { headers: { authorization: `Bearer ${await api.person('maria')}` } },
    }),
  )
  const call = async (fault: string) => {
    const { isError, structuredContent } = await client.callTool({ name: 'once', arguments: { fault } })
    return { isError, ...(structuredContent as object) }
  }
  expect(await call('unauthorized')).toMatchObject({
    isError: true,
    status: 'failed',
    code: 'tool_failed',
    message: expect.stringMatching(/faulty answered 401: .* nothing ran/),
  })
  expect(await call('redirect')).toMatchObject({
    isError: true,
    status: 'indeterminate',
    code: 'outcome_unknown',
    message: 'It is unknown whether faulty.once ran: its server answered 307, a redirect that is not followed.',
  })
  await client.close()
})
