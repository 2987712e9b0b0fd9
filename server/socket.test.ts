import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { newProver, type Prover } from '#server/testing/auth/dpop.ts'

// Opening a socket with a key-bound token. (For its messages, see server/traces/socket.test.ts.)

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
}, 180_000)
afterAll(() => api.close())

type FirstMessage = { result?: { type: string }; error?: { json: { data: { reason?: string; code: string } } } }

/**
 * The result of a subscription on a socket with these connection parameters: "started" or the reason of a refusal. The
 * library's client would miss a refusal that closes the socket before reading its subscription; the first message
 * always contains it.
 */
async function subscribe(connectionParams: Record<string, string>): Promise<string> {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  try {
    await once(socket, 'open')
    const answered = once(socket, 'message')
    const input = { json: { executionId: '00000000-0000-4000-8000-000000000000' } }
    socket.send(JSON.stringify({ method: 'connectionParams', data: connectionParams }))
    socket.send(JSON.stringify({ id: 1, method: 'subscription', params: { path: 'traces.stream', input } }))
    const [data] = await answered
    const { result, error }: FirstMessage = JSON.parse(String(data))
    return result?.type ?? error?.json.data.reason ?? String(error?.json.data.code)
  } finally {
    socket.terminate()
  }
}

const proof = (url = `${api.baseUrl}/v1`) => prover.prove({ url, accessToken: token })

test('the first message carries token and proof, and a proof opens only one socket', async () => {
  const dpop = await proof()
  // Admitted: the execution does not exist, and only a member gets that answer.
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop })).toMatch(/^(started|not_found)$/)
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop })).toBe('unauthorized')
})

test('a key-bound token opens nothing without its proof, with a proof for another address, or as a plain bearer token', async () => {
  expect(await subscribe({ authorization: `DPoP ${token}` })).toBe('unauthorized')
  expect(await subscribe({ authorization: `DPoP ${token}`, dpop: await proof(`${api.baseUrl}/v1/x`) })).toBe(
    'unauthorized',
  )
  expect(await subscribe({ authorization: `Bearer ${token}`, dpop: await proof() })).toBe('unauthorized')
})

test.each(['tenantExternalId', 'x-svc-tenant-external-id', 'tenantId', 'x-svc-tenant-id'])(
  'the connection parameter %s selects a tenant, and one without membership is refused',
  async (name) => {
    const authorization = `Bearer ${await api.client('ci-pipeline')}`
    const tenants = api.credentials.tenants.map(({ id, externalId }) =>
      name.endsWith('xternalId') || name.endsWith('external-id') ? externalId : id,
    )
    const [own = '', foreign = ''] = tenants
    expect(await subscribe({ authorization, [name]: own })).toBe('not_found')
    expect(await subscribe({ authorization, [name]: foreign })).toBe('tenant_access_denied')
  },
)

test('connection parameters that name two tenants select none', async () => {
  const [own, foreign] = api.credentials.tenants
  const both = { tenantExternalId: own?.externalId ?? '', 'x-svc-tenant-external-id': foreign?.externalId ?? '' }
  const authorization = `Bearer ${await api.client('ci-pipeline')}`
  expect(await subscribe({ authorization, ...both })).toBe('tenant_access_denied')
})

test('a plain bearer token opens a socket', async () => {
  const bearer = await api.client('ci-pipeline')
  expect(await subscribe({ authorization: `Bearer ${bearer}` })).toMatch(/^(started|not_found)$/)
})

test('a socket without credentials is closed after ten seconds, even if it answers pings; one with them stays open', async () => {
  const address = `${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`
  const [stranger, caller] = [new WebSocket(address), new WebSocket(address)]
  try {
    for (const socket of [stranger, caller])
      socket.on('message', (data) => {
        if (String(data) === 'PING') socket.send('PONG')
      })
    const closed = once(stranger, 'close')
    await Promise.all([once(stranger, 'open'), once(caller, 'open')])
    const data = { authorization: `Bearer ${await api.client('ci-pipeline')}` }
    caller.send(JSON.stringify({ method: 'connectionParams', data }))
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('open'), 20_000).unref())
    expect(await Promise.race([closed.then(([code]) => code), late])).toBe(4401)
    expect(caller.readyState).toBe(WebSocket.OPEN)
  } finally {
    for (const socket of [stranger, caller]) socket.terminate()
  }
})

test('a message that programs read differently closes the socket, which says why', async () => {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  try {
    await once(socket, 'open')
    socket.send('{"id":1,"method":"query","params":{"path":"tenants.current","path":"agents.list"}}')
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).toEqual([1008, 'A message must be JSON that all programs read alike.'])
  } finally {
    socket.terminate()
  }
})
