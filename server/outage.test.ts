import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationName } from '#server/kernel/db/application-name.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { authorizationRequest } from '#server/testing/auth/sign-in.ts'
import { type FreezableProxy, freezableProxy } from '#server/testing/fakes/freezable-proxy.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// The database goes away under a running server and comes back: the server recovers without intervention.

let api: TestApi
let server: Client
let proxy: FreezableProxy
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'silent' }, {}, async (url) => {
    proxy = await freezableProxy(url)
    return proxy.url
  })
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
}, 180_000)
afterAll(async () => {
  await server.end()
  await api.close()
  await proxy.close()
})

const realm = '/realms/northwind'
const byPassword = (secret: string) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: 'ci-pipeline', client_secret: secret })
const byRefreshToken = () =>
  new URLSearchParams({ grant_type: 'refresh_token', client_id: 'countersign-cli', refresh_token: 'unknown' })

const database = () => new URL(api.ownerUrl).pathname.slice(1)
/** How many connections of each kind the server has, such as { 'countersign-listener/6': 1 }. */
const connections = async () => {
  const { rows } = await server.query<{ name: string; count: number }>(
    'select application_name as name, count(*)::integer as count from pg_stat_activity where datname = $1 group by 1',
    [database()],
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
/** Those that stay open all the time, whatever the server has to do: the number does not depend on the load. */
const listening = async () => (await connections())[applicationName('listener')] ?? 0

test('during an outage every response is 503 with Retry-After; after it the server works, with as many connections as before', async () => {
  const maria = await api.person('maria')
  const agentId = await releaseRefundAgent(api, 'refund-outage')
  const authorization = authorizationRequest(`${api.baseUrl}${realm}`).url
  const before = await listening()
  expect(before).toBeGreaterThan(0)
  await server.query(`alter database ${database()} connection limit 0`)
  await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database()])

  for (const answer of [
    await api.query(maria, 'tenants.current'),
    await api.query(maria, 'agents.list', {}),
    await api.request(maria, '/v1/policies'),
    await api.request(undefined, '/v1/health/ready'),
    await api.request(undefined, authorization.slice(api.baseUrl.length), { redirect: 'manual' }),
    await api.request(undefined, authorization.slice(api.baseUrl.length), {
      redirect: 'manual',
      headers: { accept: 'text/html' },
    }),
    await api.request(undefined, `${realm}/protocol/openid-connect/token`, {
      method: 'POST',
      body: byPassword('wrong'),
    }),
    await api.request(undefined, `${realm}/protocol/openid-connect/token`, { method: 'POST', body: byRefreshToken() }),
    await api.request(undefined, `${realm}/sign-in-link/${'a'.repeat(43)}`),
    await api.request(undefined, '/realms/unknown/protocol/openid-connect/certs'),
  ])
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  // Enough attempts to reveal reconnections that multiply.
  const tried = proxy.opened()
  await until(async () => (proxy.opened() >= tried + 8 ? true : undefined), 'the server tried to reconnect')
  await server.query(`alter database ${database()} connection limit -1`)

  await until(
    async () => ((await api.request(undefined, '/v1/health/ready')).status === 200 ? true : undefined),
    'the server was ready',
  )
  const runsToItsApproval = async () => {
    const start = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
    const { executionId: id } = payload<{ executionId: string }>(await api.mutate(maria, 'executions.execute', start))
    await until(async () => {
      const { status } = payload<{ status: string }>(await api.query(maria, 'executions.get', { id }))
      return status === 'waiting_approval' ? true : undefined
    }, 'the execution ran')
  }
  await runsToItsApproval()
  // Notifications and the queue have reconnected, with as many connections as before; the others are bounded by their pools.
  await until(async () => ((await listening()) >= before ? true : undefined), 'the listening connections recovered')
  await runsToItsApproval()
  const after = await connections()
  expect(await listening()).toBe(before)
  expect(after[applicationName('queue')]).toBeLessThanOrEqual(4)
  expect(after[applicationName()]).toBeLessThanOrEqual(32)
}, 60_000)

test('a server whose password was changed answers 503 until it has the right one', async () => {
  const maria = await api.person('maria')
  const role = escapeIdentifier(`${database()}_server`)
  const { rows } = await server.query<{ secret: string }>(
    'select rolpassword as secret from pg_authid where rolname = $1',
    [`${database()}_server`],
  )
  await server.query(`alter role ${role} password 'rotated'`)
  await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database()])
  // More than once: the first ones find connections that were lost.
  for (let asked = 0; asked < 40; asked++) {
    const { status, headers } = await api.query(maria, 'agents.list', {})
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  }
  await server.query(`alter role ${role} password ${escapeLiteral(rows[0]?.secret ?? '')}`)
  await until(
    async () => ((await api.query(maria, 'agents.list', {})).status === 200 ? true : undefined),
    'the server worked again',
  )
}, 60_000)

test('any number of health checks use one connection', async () => {
  proxy.freeze()
  const opened = proxy.opened()
  const checks = Array.from({ length: 30 }, () => api.request(undefined, '/v1/health/ready'))
  // The process has read the checks once it has answered what was sent after them.
  for (let after = 0; after < 10; after++) await api.request(undefined, '/v1/health/live')
  const used = proxy.opened() - opened
  proxy.thaw()
  for (const { status } of await Promise.all(checks)) expect(status).toBe(200)
  // The others are those of the server's own work.
  expect(used).toBeLessThan(6)
}, 60_000)
