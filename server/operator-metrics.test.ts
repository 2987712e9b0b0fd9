import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { freePort } from '#server/testing/free-port.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'
import { loadConfig } from './kernel/config.ts'

// What the operator of an installation sees of it: metrics of the process, and a line in the log for each request.

const token = 'a-token-of-this-test-that-is-long'
let api: TestApi
beforeAll(async () => {
  api = await startApi({ METRICS_TOKEN: token, LOG_LEVEL: 'info' })
}, 180_000)
afterAll(() => api.close())

const scrape = async () => (await api.request(token, '/metrics')).text
/** The value of a series, as it is written. */
const measured = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}
type Line = Record<string, unknown> & { operations?: string[] }
const linesOf = (): Line[] =>
  api
    .logged()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line))

test('a port that is taken is named with its setting', async () => {
  await using taken = createServer().listen(0)
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  for (const [setting, environment] of [
    ['PORT', { PORT: String(port) }],
    ['METRICS_PORT', { PORT: '0', METRICS_PORT: String(port) }],
  ] as const) {
    const lines: string[] = []
    await expect(startProcess(environment, lines)).rejects.toThrow('ended before it was ready')
    await until(async () => lines.join('').includes('\n') || undefined, 'the reason was printed')
    expect(lines.join('')).toMatch(
      new RegExp(`^Port ${port} is in use by another process, .*\\. Set ${setting} to a different port\\.$`, 'm'),
    )
  }
}, 60_000)

describe('the metrics of a process', () => {
  test('need the token, and are text that Prometheus reads', async () => {
    for (const wrong of [undefined, 'x', `${token}x`, await api.person('omar')]) {
      const refused = await api.request(wrong, '/metrics')
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    expect((await api.request(token, '/metrics', { method: 'POST' })).status).toBe(405)
    const answer = await api.request(token, '/metrics')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    for (const line of answer.text.split('\n').filter((one) => one !== '' && !one.startsWith('# ')))
      expect(line).toMatch(/^[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[\d.]+(e[+-]?\d+)?$/)
    expect(measured(answer.text, 'countersign_unread_metrics')).toBe(0)
  })

  test('count requests by operation and status, and how long they took', async () => {
    const series = (status: string) => `countersign_http_requests_total{operation="agents.list",status="${status}"}`
    const before = await scrape()
    const omar = await api.person('omar')
    for (let index = 0; index < 3; index++) payload(await api.query(omar, 'agents.list', {}))
    expect((await api.query(omar, 'agents.list', { limit: -1 })).status).toBe(400)
    const grown = await until(async () => {
      const text = await scrape()
      return measured(text, series('4xx')) === (measured(before, series('4xx')) ?? 0) + 1 ? text : undefined
    }, 'the requests were counted')
    expect(measured(grown, series('2xx'))).toBe((measured(before, series('2xx')) ?? 0) + 3)
    const name = 'countersign_http_request_duration_seconds'
    const buckets = grown.split('\n').filter((line) => line.startsWith(`${name}_bucket{operation="agents.list"`))
    const counts = buckets.map((line) => Number(line.slice(line.lastIndexOf(' '))))
    expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    expect(counts.at(-1)).toBe(measured(grown, `${name}_count{operation="agents.list"}`))
    expect(measured(grown, `${name}_sum{operation="agents.list"}`)).toBeGreaterThan(0)
  })

  test('show the event loop, the connections and the jobs', async () => {
    const text = await scrape()
    expect(measured(text, 'countersign_event_loop_lag_seconds{quantile="p99"}')).toBeGreaterThanOrEqual(0)
    expect(measured(text, 'countersign_database_connections{pool="requests",state="idle"}')).toBeGreaterThan(0)
    expect(measured(text, 'countersign_database_connections{pool="queue",state="waited_for"}')).toBeDefined()
    const agentId = await releaseRefundAgent(api, 'refund-measured')
    const input = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
    payload(await api.mutate(await api.person('maria'), 'executions.execute', input))
    const done = 'countersign_jobs_total{queue="executions",result="done"}'
    await until(async () => measured(await scrape(), done), 'the job was counted')
    const seconds = 'countersign_job_duration_seconds_sum{queue="executions"}'
    expect(measured(await scrape(), seconds)).toBeGreaterThan(0)
  })

  test('contain no tenant and no person', async () => {
    const text = await scrape()
    for (const { id, externalId, slug } of api.credentials.tenants)
      for (const name of [id, externalId, slug]) expect(text).not.toContain(name)
    expect(text).not.toMatch(/omar|jonas/)
  })

  test('have every series that the dashboard and the alert rules name', async () => {
    const text = await scrape()
    const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
    const read = (name: string) => readFileSync(join(import.meta.dirname, '../docs/deploy', name), 'utf8')
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
    const rules = load(read('prometheus-alerts.yaml')) as { groups: { rules: { expr: string }[] }[] }
    const expressions = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ]
    expect(expressions.length).toBeGreaterThan(15)
    const named = expressions.flatMap((expr) => expr.match(/countersign_\w+/g) ?? [])
    expect(named.length).toBeGreaterThanOrEqual(expressions.length - 1)
    const unknown = named.map((name) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !known.has(name))
    expect(unknown).toEqual([])
  })
})

test('without METRICS_TOKEN and METRICS_PORT, nothing serves them', async () => {
  const plain = await startApi({ SEED_DEMO: 'true' })
  const answer = await plain.request(token, '/metrics')
  await plain.close()
  expect([answer.status, answer.text]).toEqual([404, expect.not.stringContaining('countersign_')])
})

test('with METRICS_PORT they have a port of their own, and are not on the port of the API', async () => {
  const port = await freePort()
  const own = await startApi({ METRICS_PORT: String(port), METRICS_TOKEN: token })
  const at = (path: string, headers = {}) => fetch(`http://localhost:${port}${path}`, { headers })
  expect((await at('/metrics')).status).toBe(401)
  expect(await (await at('/metrics', { authorization: `Bearer ${token}` })).text()).toContain('countersign_jobs_total')
  expect((await at('/v1/health/live')).status).toBe(404)
  expect((await own.request(token, '/metrics')).status).toBe(404)
  await own.close()
})

test.each([
  [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN must be at least 16 characters without spaces.'],
  [{ METRICS_PORT: '3000', PORT: '3000' }, 'METRICS_PORT must be a whole number from 1 to 65535, and not PORT.'],
])('the settings %j are refused, and no token is printed', (settings, message) => {
  expect(() => loadConfig(settings)).toThrow(message)
})

describe('the log', () => {
  /** How many lines there are once those of all earlier requests have been written. */
  const countLines = async () => {
    const marker = await api.query(await api.person('omar'), 'agents.list', {})
    const requestId = marker.headers.get('x-request-id')
    const ended = () => linesOf().findIndex((line) => line.requestId === requestId)
    return await until(async () => (ended() === -1 ? undefined : ended() + 1), 'the line of the marker was written')
  }

  test('has one line for each request, with id, tenant, operation, status and duration', async () => {
    const answer = await api.query(await api.person('omar'), 'agents.list', { limit: 7 })
    const requestId = answer.headers.get('x-request-id')
    const lines = await until(async () => {
      const found = linesOf().filter((line) => line.requestId === requestId)
      return found.length > 0 ? found : undefined
    }, 'the line was written')
    const { time, ...line } = lines[0] as Line
    expect(lines).toHaveLength(1)
    expect(line).toEqual({
      level: 30,
      kind: 'api',
      method: 'GET',
      status: 200,
      ms: expect.any(Number),
      requestId,
      tenantId: api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.id,
      operations: ['agents.list'],
      msg: 'request',
    })
    expect(Date.parse(String(time))).toBeGreaterThan(Date.now() - 60_000)
  })

  test('says what was refused, without any secret of the request', async () => {
    const secret = 'a-secret-that-no-log-may-have'
    const vera = await api.person('vera')
    const count = await countLines()
    await api.request(secret, `/v1/agents.list?input=${secret}`)
    await api.request(undefined, `/realms/northwind/sign-in-link/${secret}${'a'.repeat(14)}`)
    await api.request(undefined, '/realms/northwind/protocol/openid-connect/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'ci-pipeline', client_secret: secret }),
    })
    await api.request(undefined, `/${secret}`)
    await api.request(vera, '/v1/metrics')
    const lines = await until(
      async () => (linesOf().length >= count + 5 ? linesOf().slice(count) : undefined),
      'five lines were written',
    )
    expect(lines.map(({ kind, status }) => [kind, status])).toEqual([
      ['api', 401],
      ['realm', 410],
      ['realm', 401],
      ['page', 404],
      ['api', 403],
    ])
    expect(api.logged()).not.toContain(secret)
  })

  test('leaves health checks out at the level info', async () => {
    const count = await countLines()
    await api.request(undefined, '/v1/health/ready')
    await api.request(undefined, '/v1/openapi.json')
    await until(async () => (linesOf().length > count ? true : undefined), 'the second request was logged')
    expect(linesOf().slice(count)).toHaveLength(1)
  })
})
