import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoTenants } from '#server/demo/tenants.ts'
import { type Calls, callsTo, payload } from '#server/testing/api.ts'
import { emptyDatabase } from '#server/testing/database.ts'
import { type Balancer, startBalancer } from '#server/testing/fakes/balancer.ts'
import { freePort } from '#server/testing/free-port.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// Two web and two worker processes that start concurrently on an empty database, behind a proxy without sticky sessions. (For limits that
// nodes share, see rate-limit.test.ts; for what a stream misses between nodes, changes/stream.test.ts.)

type Node = Awaited<ReturnType<typeof startProcess>> & { port: string; roles: string }

let database: Awaited<ReturnType<typeof emptyDatabase>>
let owner: Client
let folder: string
let balancer: Balancer
let api: Calls
let web: Node[] = []
let workers: Node[] = []
const gate = () => join(folder, 'gate')

async function start(roles: string, port: string): Promise<Node> {
  const node = await startProcess({
    PORT: port,
    ROLES: roles,
    BASE_URL: balancer.origin,
    AUTH_URL: balancer.origin,
    IDENTITY: 'embedded',
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: join(folder, 'data'),
    MCP_SERVERS: join(folder, 'mcp.json'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
    ADOPT_ROWS_AFTER: '86400',
    DRAIN_SECONDS: '20',
    LOG_LEVEL: 'error',
  })
  return { ...node, port, roles }
}
const stop = async ({ child }: Node, signal: NodeJS.Signals) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
const at = ({ port }: Node) => `http://127.0.0.1:${port}`

beforeAll(async () => {
  database = await emptyDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  folder = await mkdtemp(join(tmpdir(), 'countersign-nodes-'))
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, 'testing/fakes/gated-payments.ts')],
    env: { COUNTERSIGN_GATE: gate() },
    tenants: demoTenants.map(({ externalId }) => externalId),
  }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { payments } }))
  balancer = await startBalancer(() => web.map(at))
  const ports = await Promise.all(Array.from({ length: 4 }, async () => String(await freePort())))
  const [first = '', second = '', third = '', fourth = ''] = ports
  const all = await Promise.all([
    start('web', first),
    start('web', second),
    start('worker', third),
    start('worker', fourth),
  ])
  web = all.filter(({ roles }) => roles === 'web')
  workers = all.filter(({ roles }) => roles === 'worker')
  api = callsTo(balancer.origin, JSON.parse(await readFile(join(folder, 'data/demo-credentials.json'), 'utf8')))
}, 300_000)
afterAll(async () => {
  await Promise.all([...web, ...workers].map((node) => stop(node, 'SIGTERM')))
  await balancer.close()
  await owner.end()
  await database.close()
  await rm(folder, { recursive: true })
})

const calls = async (event: string, tool: string, id: string) => {
  const log = await readFile(join(gate(), 'calls.log'), 'utf8').catch(() => '')
  return log.split('\n').filter((line) => line.startsWith(`${event} ${tool} ${id}:`)).length
}

/** The stream of changes at a process, or after `lastId` of an earlier one. */
async function openStream(origin: string, token: string, lastId = '') {
  const input = encodeURIComponent(JSON.stringify({ json: { topics: ['secrets'] } }))
  const stopped = new AbortController()
  const response = await fetch(`${origin}/v1/changes.stream?input=${input}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
    signal: stopped.signal,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  return {
    ended: read().then(
      () => 'ended',
      () => 'broken',
    ),
    lastId: () => [...text.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1] ?? '',
    until: (part: string) => until(async () => text.includes(part) || undefined, `the stream contained ${part}`),
    close: () => stopped.abort(),
  }
}

test('processes that start concurrently on an empty database apply each migration once', async () => {
  const files = readdirSync(join(import.meta.dirname, 'kernel/db/migrations')).filter((name) => name.endsWith('.sql'))
  const { rows } = await owner.query<{ name: string }>('select name from schema_migrations order by name')
  expect(rows.map(({ name }) => name)).toEqual(files.sort())
})

test('a person signs in and works without a sticky session', async () => {
  balancer.served.clear()
  const maria = await api.person('maria')
  for (let index = 0; index < 4; index++) payload(await api.query(maria, 'agents.list', {}))
  expect([...balancer.served.keys()].sort()).toEqual(web.map(at).sort())
})

test('a stream on one node reports what another node changes', async () => {
  const [one, other] = web.map(at)
  const token = await api.client('admin-automation')
  const input = encodeURIComponent(JSON.stringify({ json: { topics: ['secrets'] } }))
  const ended = new AbortController()
  const stream = await fetch(`${one}/v1/changes.stream?input=${input}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: ended.signal,
  })
  const changed = fetch(`${other}/v1/secrets.createApiKey`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ json: { name: 'of another node', permissions: ['decisions:read'] } }),
  })
  let text = ''
  const read = (async () => {
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('"type":"change"')) return
    }
  })()
  expect((await changed).status).toBe(200)
  await read
  expect(text).toContain('"topic":"secrets"')
  ended.abort()
})

test('a web process that is killed loses no accepted call, and its streams continue on the other', {
  timeout: 180_000,
}, async () => {
  const token = await api.client('admin-automation')
  const create = (name: string) =>
    api.mutate(token, 'secrets.createApiKey', { name, permissions: ['decisions:read'] }, { 'idempotency-key': name })
  const [victim, survivor] = web
  if (victim === undefined || survivor === undefined) throw new Error('unreachable: two web processes started')
  const before = await openStream(at(victim), token)
  await before.until('id: ')

  const accepted: string[] = []
  let running = true
  let made = 0
  const client = async () => {
    while (running) {
      made += 1
      const name = `killed ${made}`
      // A connection that breaks in the middle of an answer: a client repeats the request with its key.
      const { status } = await create(name).catch(() => create(name))
      if (status === 200) accepted.push(name)
      else throw new Error(`A call was answered with ${status}.`)
    }
  }
  const clients = Array.from({ length: 3 }, client)
  await until(async () => accepted.length > 20 || undefined, 'calls were accepted')
  victim.child.kill('SIGKILL')
  await once(victim.child, 'exit')
  const then = accepted.length
  await until(async () => accepted.length > then + 20 || undefined, 'calls were accepted by the other process')
  running = false
  await Promise.all(clients)
  const { rows } = await owner.query<{ name: string }>(`select name from secrets where name like 'killed %'`)
  expect(rows.map(({ name }) => name).sort()).toEqual([...accepted].sort())

  expect(await before.ended).toBe('broken')
  const { secretId } = payload<{ secretId: string }>(await create('created while the stream was away'))
  const after = await openStream(balancer.origin, token, before.lastId())
  await after.until(secretId)
  after.close()
  web[web.indexOf(victim)] = await start('web', victim.port)
})

test('workers that are killed one after the other lose nothing and repeat nothing', { timeout: 180_000 }, async () => {
  const agentId = await releaseRefundAgent(api, 'refund-nodes')
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
  const hold = join(gate(), 'hold-issue_refund')
  await writeFile(hold, '')
  await approve(api, steps.find((step) => step.id === 'refund')?.approvalId ?? '')
  await until(async () => (await calls('called', 'issue_refund', id)) || undefined, 'the call began')
  for (const [index, worker] of workers.entries()) {
    await stop(worker, 'SIGKILL')
    workers[index] = await start('worker', worker.port)
  }
  await rm(hold)
  await reaches('succeeded')
  expect(await calls('paid', 'issue_refund', id)).toBe(1)
})

test('a rolling restart fails no idempotent request', { timeout: 240_000 }, async () => {
  const token = await api.client('admin-automation')
  const statuses = new Map<number, number>()
  let running = true
  let made = 0
  const client = async () => {
    while (running) {
      made += 1
      const answers = [
        await api.query(token, 'agents.list', {}),
        await api.mutate(
          token,
          'secrets.createApiKey',
          { name: `rolled ${made}`, permissions: ['decisions:read'] },
          { 'idempotency-key': `rolling-restart-${made}` },
        ),
      ]
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const clients = Array.from({ length: 3 }, client)
  const all = async () => {
    for (const [index, node] of web.entries()) {
      await stop(node, 'SIGTERM')
      expect(node.child.exitCode).toBe(0)
      web[index] = await start('web', node.port)
    }
    for (const [index, node] of workers.entries()) {
      await stop(node, 'SIGTERM')
      expect(node.child.exitCode).toBe(0)
      workers[index] = await start('worker', node.port)
    }
  }
  await all().finally(() => {
    running = false
  })
  await Promise.all(clients)
  expect([...statuses.keys()]).toEqual([200])
  expect(statuses.get(200)).toBeGreaterThan(20)
  // Each key was created once, however often its request was sent.
  const { rows } = await owner.query<{ twice: number }>(
    `select count(*)::int as twice from (select name from secrets where name like 'rolled %' group by name having count(*) > 1) as names`,
  )
  expect(rows).toEqual([{ twice: 0 }])
})
