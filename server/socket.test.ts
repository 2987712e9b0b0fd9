import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { wireTransformer } from '#lib/wire.ts'
import type { AppRouter } from '#server/router.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { newProver, type Prover } from '#server/testing/dpop.ts'

// Who may open a socket with a token that is bound to a key. (What flows through it: server/traces/socket.test.ts.)

let api: TestApi
let prover: Prover
let token: string
beforeAll(async () => {
  api = await startApi()
  prover = await newProver()
  const path = '/realms/northwind/protocol/openid-connect/token'
  const client = api.credentials.tenants
    .find(({ slug }) => slug === 'northwind')
    ?.clients.find(({ clientId }) => clientId === 'ci-pipeline')
  const answer = await api.request(undefined, path, {
    method: 'POST',
    headers: { dpop: await prover.prove({ method: 'POST', url: `${api.baseUrl}${path}` }) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'ci-pipeline',
      client_secret: client?.clientSecret ?? '',
    }),
  })
  token = (answer.body as { access_token: string }).access_token
}, 60_000)
afterAll(() => api.close())

/** What a subscription on a socket with these connection parameters comes to: it starts, or a reason. */
async function subscribe(connectionParams: Record<string, string>): Promise<string> {
  const socket = createWSClient({
    url: `${api.baseUrl.replace('http', 'ws')}/v1`,
    WebSocket: WebSocket as never,
    connectionParams,
    retryDelayMs: () => 60_000,
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket, transformer: wireTransformer })] })
  try {
    return await new Promise<string>((resolve) => {
      client.traces.stream.subscribe(
        { executionId: '00000000-0000-4000-8000-000000000000' },
        {
          onStarted: () => resolve('started'),
          onError: ({ data }) => resolve(String((data as { reason?: string } | undefined)?.reason ?? data?.code)),
        },
      )
    })
  } finally {
    await socket.close()
  }
}

const proof = (url = `${api.baseUrl}/v1`) => prover.prove({ url, accessToken: token })

test('the first message carries token and proof, and the proof serves one socket', async () => {
  const dpop = await proof()
  // Let in: there is no such execution, which only a member is told.
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop })).toMatch(/^(started|not_found)$/)
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop })).toBe('unauthorized')
})

test('without its proof, with one for another address, or as a plain bearer token it opens nothing', async () => {
  expect(await subscribe({ authorization: `DPoP ${token}` })).toBe('unauthorized')
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop: await proof(`${api.baseUrl}/v1/x`) })).toBe(
    'unauthorized',
  )
  expect(await subscribe({ authorization: `Bearer ${token}`, dpop: await proof() })).toBe('unauthorized')
})

test('a plain bearer token still does', async () => {
  const bearer = await api.client('ci-pipeline')
  expect(await subscribe({ authorization: `Bearer ${bearer}` })).toMatch(/^(started|not_found)$/)
})
