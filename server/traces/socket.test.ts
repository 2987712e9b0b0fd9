import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { TraceEvent } from '#lib/schemas/traces.ts'
import { wireTransformer } from '#lib/wire.ts'
import type { AppRouter } from '#server/router.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// The live trace over a real socket, during a call of a tool.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

function connect(token: string | undefined) {
  const socket = createWSClient({
    url: `${api.baseUrl.replace('http', 'ws')}/v1`,
    WebSocket: WebSocket as never,
    connectionParams: token === undefined ? null : { authorization: `Bearer ${token}` },
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket, transformer: wireTransformer })] })
  return { client, close: () => socket.close() }
}

type Seen = { id: string; data: TraceEvent; at: number }

test('each span is sent masked within a second of its commit and before the execution ends, and a lost socket resumes', async () => {
  const agentId = await releaseRefundAgent(api, 'refund-live')
  const hold = join(api.gate, 'hold-lookup_order')
  await writeFile(hold, '')
  const maria = await api.person('maria')
  const { executionId } = payload<{ executionId: string }>(
    await api.mutate(maria, 'executions.execute', { agentId, environment: 'production', input: { orderId: 'A-1002' } }),
  )
  const { client, close } = connect(maria)
  const seen: Seen[] = []
  const failures: unknown[] = []
  const watch = (lastEventId?: string) =>
    client.traces.stream.subscribe(
      { executionId, ...(lastEventId === undefined ? {} : { lastEventId }) },
      {
        onData: ({ id, data }) => seen.push({ id, data, at: Date.now() }),
        onError: (error) => failures.push(error),
      },
    )
  const subscription = watch()
  const tool = await until(
    async () =>
      seen.find((event) => event.data.type === 'span.started' && event.data.span.name === 'execute_tool lookup_order'),
    'the held tool’s span arrived',
  )
  if (tool.data.type !== 'span.started') throw new Error('unreachable')
  expect(tool.data.span.endedAt).toBeNull()
  const running = payload<{ status: string }>(await api.query(maria, 'executions.get', { id: executionId }))
  expect(running.status).toBe('running')

  subscription.unsubscribe()
  const before = seen.length
  const lastEventId = seen.at(-1)?.id
  await rm(hold)
  watch(lastEventId)
  await until(
    async () => seen.find((event) => event.data.type === 'span.started' && event.data.span.kind === 'approval'),
    'the rest arrived after the reconnection',
  )
  const resumed = seen.slice(before).map((event) => event.id)
  expect(resumed).not.toContain(tool.id)
  expect(new Set(resumed).size).toBe(resumed.length)
  expect(JSON.stringify(seen)).not.toContain('pavel.novak@mail.example')
  expect(JSON.stringify(seen)).toContain('pii.email')
  expect(failures).toEqual([])
  await close()
})

test('the socket discloses nothing to a caller of another tenant or without the permission', async () => {
  const agentId = await releaseRefundAgent(api, 'refund-live-foreign')
  const { executionId } = payload<{ executionId: string }>(
    await api.mutate(await api.person('maria'), 'executions.execute', {
      agentId,
      environment: 'production',
      input: { orderId: 'A-1002' },
    }),
  )
  for (const [token, code] of [
    [await api.person('jonas', 'globex'), 'NOT_FOUND'],
    [await api.client('decisions-bot'), 'FORBIDDEN'],
  ] as const) {
    const { client, close } = connect(token)
    const events: unknown[] = []
    const error = await new Promise<{ data?: { code?: string } | null }>((resolve) => {
      client.traces.stream.subscribe({ executionId }, { onData: (event) => events.push(event), onError: resolve })
    })
    expect(error.data?.code).toBe(code)
    expect(events).toEqual([])
    await close()
  }
})

test('a socket without a token, or with a wrong one, gets an error and no data', async () => {
  for (const authorization of [undefined, 'Bearer x.y.z']) {
    const query = authorization === undefined ? '' : '?connectionParams=1'
    const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1${query}`)
    const answer = await new Promise<string>((resolve) => {
      socket.on('open', () => {
        if (authorization !== undefined)
          socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization } }))
        const params = { path: 'traces.stream', input: { json: { traceId: '0'.repeat(32) } } }
        socket.send(JSON.stringify({ id: 1, method: 'subscription', params }))
      })
      socket.on('message', (data) => resolve(String(data)))
    })
    expect(answer).toContain('UNAUTHORIZED')
    socket.terminate()
  }
})

test('a page of another origin cannot open a socket, and a socket refuses mutations', async () => {
  const refusedSocket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1`, { origin: 'https://evil.example' })
  const status = await new Promise<number | undefined>((resolve) => {
    refusedSocket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    refusedSocket.on('open', () => resolve(undefined))
  })
  expect(status).toBe(403)
  const { client, close } = connect(await api.client('ci-pipeline'))
  await expect(client.agents.create.mutate({ yaml: 'name: over-a-socket' })).rejects.toMatchObject({
    data: { code: 'METHOD_NOT_SUPPORTED' },
  })
  await close()
})
