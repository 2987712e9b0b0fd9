import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type AccessToken, apiFetch, restFetch, type TokenSource } from './api-fetch.ts'
import { RequestError } from './failure.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

type Answer = (req: IncomingMessage, res: ServerResponse) => void

/** A real server: its address, and the requests that it received. */
async function serve(answer: Answer): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  const made = createServer((req, res) => {
    seen.push(req)
    answer(req, res)
  })
  server = made
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, seen }
}

/** Presents a token whose proof states in plain text what it covers. */
const token = (text: string): AccessToken => ({
  text,
  headersFor: async ({ method, url, nonce }) => ({
    authorization: `DPoP ${text}`,
    dpop: [method, new URL(url).pathname, nonce].join(' ').trim(),
  }),
})

function source(): TokenSource & { ended: boolean } {
  return {
    ended: false,
    accessToken: async () => token('one'),
    replaceToken: async (rejected) => token(rejected === 'one' ? 'two' : 'three'),
    refused() {
      this.ended = true
    },
  }
}

const failureOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof RequestError) return error.failure
  throw new Error(`not a RequestError: ${String(error)}`)
}

const json = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

test('each request carries the token, its own proof and the tenant of the address', async () => {
  const { url, seen } = await serve((_req, res) => json(res, 200, {}))
  await apiFetch('org-1', source())(`${url}/v1/x`)
  expect(seen[0]?.headers.authorization).toBe('DPoP one')
  expect(seen[0]?.headers.dpop).toBe('GET /v1/x')
  expect(seen[0]?.headers['x-svc-tenant-external-id']).toBe('org-1')
  await apiFetch(undefined, source())(`${url}/v1/x`)
  expect(seen[1]?.headers).not.toHaveProperty('x-svc-tenant-external-id')
})

describe('a refused token', () => {
  test('is replaced, and the same request is sent again', async () => {
    const { url, seen } = await serve((req, res) =>
      req.headers.authorization === 'DPoP one' ? json(res, 401, {}) : json(res, 200, { ok: true }),
    )
    const tokens = source()
    const response = await apiFetch('t', tokens)(`${url}/v1/x`, { method: 'POST', body: '{"a":1}' })
    expect(await response.json()).toEqual({ ok: true })
    expect(seen.map((req) => req.headers.authorization)).toEqual(['DPoP one', 'DPoP two'])
    expect(tokens.ended).toBe(false)
  })

  test('is kept when only its proof was refused: a new proof is created with the nonce that the server requires', async () => {
    const { url, seen } = await serve((req, res) =>
      req.headers.dpop === 'POST /v1/x n-1'
        ? json(res, 200, {})
        : json(res, 401, {}, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-1' }),
    )
    const tokens = source()
    expect((await apiFetch('t', tokens)(`${url}/v1/x`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect(seen.map((req) => req.headers.authorization)).toEqual(['DPoP one', 'DPoP one'])
    expect(tokens.ended).toBe(false)
  })

  test('ends the session when its replacement is refused as well', async () => {
    const { url, seen } = await serve((_req, res) => json(res, 401, {}))
    const tokens = source()
    expect((await apiFetch('t', tokens)(`${url}/v1/x`)).status).toBe(401)
    expect(seen).toHaveLength(2)
    expect(tokens.ended).toBe(true)
  })
})

describe('a request without a response', () => {
  test('a cut connection is "network": the outcome is unknown', async () => {
    const { url } = await serve((_req, res) => res.destroy())
    expect(await failureOf(apiFetch('t', source())(`${url}/v1/x`))).toMatchObject({
      code: 'network',
      retryable: true,
      requestId: undefined,
    })
  })

  test('rejects with the caller’s abort', async () => {
    const { url } = await serve(() => undefined)
    const stop = new AbortController()
    const request = apiFetch('t', source())(`${url}/v1/x`, { signal: stop.signal })
    stop.abort()
    await expect(request).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('reports a denied tenant on both transports', async () => {
    const { url } = await serve((_req, res) => json(res, 403, { error: 'Tenant access denied' }))
    expect(await failureOf(apiFetch('t', source())(`${url}/v1/x`))).toMatchObject({
      code: 'tenant_access_denied',
      httpStatus: 403,
    })
  })
})

describe('REST', () => {
  const at = (url: string) => {
    const fetchApi = apiFetch('t', source())
    return restFetch((path, init) => fetchApi(`${url}${String(path)}`, init))
  }

  test('sends JSON and an idempotency key, and returns the response', async () => {
    const { url, seen } = await serve((_req, res) => json(res, 202, { exportId: 'e' }))
    const answer = await at(url)<{ exportId: string }>('/v1/evidence/export-jobs', {
      method: 'POST',
      body: { a: 1 },
      idempotencyKey: 'k',
    })
    expect(answer).toEqual({ exportId: 'e' })
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' })
  })

  test('turns an error response into a failure with all its members', async () => {
    const { url } = await serve((_req, res) =>
      json(
        res,
        429,
        { error: 'Too many requests.', code: 'rate_limited', requestId: 'r-1', retryable: true, quota: 3 },
        { 'retry-after': '7' },
      ),
    )
    expect(await failureOf(at(url)('/v1/x'))).toEqual({
      code: 'rate_limited',
      message: 'Too many requests.',
      requestId: 'r-1',
      httpStatus: 429,
      retryable: true,
      retryAfterSeconds: 7,
      issues: [],
      details: { quota: 3 },
    })
  })

  test.each(['<html>Bad gateway</html>', '', '{"code":"no_such_code","error":"x"}'])(
    'reports %s as unreadable',
    async (body) => {
      const { url } = await serve((_req, res) => res.writeHead(502).end(body))
      expect(await failureOf(at(url)('/v1/x'))).toMatchObject({ code: 'unreadable', httpStatus: 502 })
    },
  )
})

describe('a response that takes longer than 30 seconds', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  /** Sends the first part at once, and the rest on demand. */
  async function begun(type: string) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let rest: () => void = () => expect.fail('nothing was asked')
    const { url } = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': type }).write('[1,')
      rest = () => res.end('2]')
    })
    const response = await apiFetch('acme', source())(`${url}/v1/x`)
    vi.advanceTimersByTime(31_000)
    return { response, rest }
  }

  test('is read to its end if it is a file', async () => {
    const { response, rest } = await begun('application/zip')
    rest()
    expect(await response.text()).toBe('[1,2]')
  })

  test.each(['application/json', 'application/problem+json'])('is given up if it is %s', async (type) => {
    const { response } = await begun(type)
    await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
