import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { migrationLock } from '#server/kernel/db/migrate.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { testDatabase } from '#server/testing/database.ts'
import { freePort } from '#server/testing/free-port.ts'
import { waitingForLock } from '#server/testing/owner.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// What a process does between SIGTERM and its end, and what its health checks say before it is ready.

const health = async (baseUrl: string, check: 'ready' | 'live') => {
  const answer = await fetch(`${baseUrl}/v1/health/${check}`, { headers: { connection: 'close' } })
  return [answer.status, ((await answer.json()) as { status: string }).status]
}

describe('SIGTERM', () => {
  let api: TestApi
  let agentId: string
  beforeAll(async () => {
    api = await startApi({ DRAIN_SECONDS: '60', LOG_LEVEL: 'info' })
    agentId = await releaseRefundAgent(api, 'refund-drain')
  }, 180_000)
  afterAll(() => api.close())
  beforeEach(async () => {
    if (api.process.exitCode !== null || api.process.signalCode !== null) await api.killAndRestart()
  })

  const hold = (tool: string) => join(api.gate, `hold-${tool}`)
  const calls = async (event: string, tool: string, id: string) => {
    const log = await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => '')
    return log.split('\n').filter((line) => line.startsWith(`${event} ${tool} ${id}:`)).length
  }
  const execution = async (id: string) =>
    payload<{ status: string; steps: { id: string; approvalId: string | null }[] }>(
      await api.query(await api.person('maria'), 'executions.get', { id }),
    )
  const start = async (orderId: string) => {
    const input = { agentId, environment: 'production', input: { orderId } }
    const answer = await api.mutate(await api.person('maria'), 'executions.execute', input)
    return payload<{ executionId: string }>(answer).executionId
  }
  const reaches = (id: string, status: string) =>
    until(async () => ((await execution(id)).status === status ? true : undefined), `the execution was ${status}`)
  const approvalOf = async (id: string) => {
    await reaches(id, 'waiting_approval')
    const { steps } = await execution(id)
    return steps.find((step) => step.id === 'refund')?.approvalId ?? ''
  }
  const ended = async () => {
    const { process } = api
    if (process.exitCode === null) await once(process, 'exit')
    return process.exitCode
  }

  test('turns readiness false at once, lets the call that runs finish, and loses and repeats nothing', async () => {
    const id = await start('A-1002')
    await writeFile(hold('issue_refund'), '')
    await approve(api, await approvalOf(id))
    await until(async () => (await calls('called', 'issue_refund', id)) || undefined, 'the call began')

    api.process.kill('SIGTERM')
    await until(
      async () => ((await health(api.baseUrl, 'ready'))[0] === 503 ? true : undefined),
      'the process was not ready',
    )
    expect(await health(api.baseUrl, 'ready')).toEqual([503, 'stopping'])
    expect(await health(api.baseUrl, 'live')).toEqual([200, 'live'])
    const refused = await api.request(undefined, '/v1/openapi.json')
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ])
    expect(api.process.exitCode).toBe(null)
    await rm(hold('issue_refund'))
    expect(await ended()).toBe(0)
    expect(await calls('paid', 'issue_refund', id)).toBe(1)

    await api.killAndRestart()
    await reaches(id, 'succeeded')
    expect(await calls('called', 'issue_refund', id)).toBe(1)
    const events = await api.query(await api.person('maria'), 'executions.getEvents', { id })
    expect(events.text).not.toContain('tool.outcome_unknown')
  })

  test('parks an execution after the call that runs: the next start makes the next call', async () => {
    await writeFile(hold('lookup_order'), '')
    const id = await start('A-1003')
    await until(async () => (await calls('called', 'lookup_order', id)) || undefined, 'the call began')
    api.process.kill('SIGTERM')
    await until(
      async () => ((await health(api.baseUrl, 'ready'))[0] === 503 ? true : undefined),
      'the process was not ready',
    )
    await rm(hold('lookup_order'))
    expect(await ended()).toBe(0)
    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    const { rows } = await owner.query('select status from executions where id = $1', [id])
    await owner.end()
    expect(rows).toEqual([{ status: 'running' }])
    await api.killAndRestart()
    await reaches(id, 'waiting_approval')
    expect(await calls('called', 'lookup_order', id)).toBe(1)
  })

  test('ends streams and sockets in such a way that their clients go elsewhere', async () => {
    const token = await api.person('maria')
    const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
    await once(socket, 'open')
    socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
    const closed = once(socket, 'close')
    const topics = encodeURIComponent(JSON.stringify({ json: { topics: ['agents'] } }))
    const stream = await fetch(`${api.baseUrl}/v1/changes.stream?input=${topics}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    api.process.kill('SIGTERM')
    expect(await stream.text()).toContain('"reason":"unavailable"')
    const [code] = await closed
    expect(code).toBe(1001)
    expect(await ended()).toBe(0)
  })

  test('a second signal ends the process at once, and what ran continues in the next', async () => {
    const id = await start('A-1001')
    await writeFile(hold('issue_refund'), '')
    await approve(api, await approvalOf(id))
    await until(async () => (await calls('called', 'issue_refund', id)) || undefined, 'the call began')
    api.process.kill('SIGTERM')
    await until(
      async () => ((await health(api.baseUrl, 'ready'))[0] === 503 ? true : undefined),
      'the process was not ready',
    )
    api.process.kill('SIGINT')
    expect(await ended()).toBe(1)
    expect(api.logged()).toContain('Stopped by a second signal.')
    await rm(hold('issue_refund'))
    await api.killAndRestart()
    await until(
      async () => ((await execution(id)).status === 'succeeded' ? true : undefined),
      'the execution succeeded',
      60_000,
    )
    expect(await calls('paid', 'issue_refund', id)).toBe(1)
  })
})

test('a call that runs longer than DRAIN_SECONDS is cut, and continues in the next process without a second effect', async () => {
  const api = await startApi({ DRAIN_SECONDS: '1', LOG_LEVEL: 'info' })
  const hold = join(api.gate, 'hold-issue_refund')
  const lines = async (event: string, id: string) => {
    const log = await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => '')
    return log.split('\n').filter((line) => line.startsWith(`${event} issue_refund ${id}:`)).length
  }
  const agentId = await releaseRefundAgent(api, 'refund-cut')
  const maria = await api.person('maria')
  const input = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
  const { executionId: id } = payload<{ executionId: string }>(await api.mutate(maria, 'executions.execute', input))
  type Execution = { status: string; steps: { id: string; approvalId: string | null }[] }
  const reaches = (status: string) =>
    until(
      async () => {
        const found = payload<Execution>(await api.query(maria, 'executions.get', { id }))
        return found.status === status ? found : undefined
      },
      `the execution was ${status}`,
      60_000,
    )
  const { steps } = await reaches('waiting_approval')
  await writeFile(hold, '')
  await approve(api, steps.find((step) => step.id === 'refund')?.approvalId ?? '')
  await until(async () => (await lines('called', id)) || undefined, 'the call began')
  const exited = once(api.process, 'exit')
  api.process.kill('SIGTERM')
  // The call is held: only the end of its time lets the process end.
  expect(await exited).toEqual([0, null])
  expect(await lines('paid', id)).toBe(0)
  await rm(hold)
  await api.killAndRestart()
  await reaches('succeeded')
  expect(await lines('paid', id)).toBe(1)
  await api.close()
}, 180_000)

test('a process of which a part does not close ends before it is killed, and its log names the part', async () => {
  const api = await startApi({ DRAIN_SECONDS: '1', LOG_LEVEL: 'info' })
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  // The signer reads it in every round.
  await owner.query('begin; lock table audit_days in access exclusive mode')
  await waitingForLock(owner)
  const exited = once(api.process, 'exit')
  api.process.kill('SIGTERM')
  const killing = setTimeout(() => api.process.kill('SIGKILL'), 11_000)
  expect(await exited).toEqual([0, null])
  clearTimeout(killing)
  expect(api.logged()).toMatch(/"open":\[[^\]]*"signer"[^\]]*"database"/)
  await owner.end()
  await api.close()
}, 180_000)

test('while another process migrates, a process is live and not ready, and says why', async () => {
  const database = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-starting-'))
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query('select pg_advisory_lock($1)', [migrationLock])
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const starting = startProcess({
    PORT: String(port),
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: folder,
    SEED_DEMO: 'false',
    LOG_LEVEL: 'error',
  })
  await until(
    async () => (await health(baseUrl, 'ready').catch(() => undefined))?.[1] === 'migrating' || undefined,
    'the process migrated',
  )
  expect(await health(baseUrl, 'ready')).toEqual([503, 'migrating'])
  expect(await health(baseUrl, 'live')).toEqual([200, 'live'])
  await owner.query('select pg_advisory_unlock($1)', [migrationLock])
  const { child } = await starting
  expect(await health(baseUrl, 'ready')).toEqual([200, 'ready'])
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(child.exitCode).toBe(0)
  await owner.end()
  await database.close()
  await rm(folder, { recursive: true })
})
