import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { secondNode } from '#server/testing/second-node.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// One execution that looks something up, waits for input, waits for a person, and pays; at each of its boundaries something
// breaks. Whatever it was: it ends well without a hand, and a process outside has counted one payment.

let api: TestApi
let server: Client
let agentId: string
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'silent' })
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  agentId = await releaseAgent(api, 'faults', {
    steps: [
      { id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1003' } } },
      { id: 'ok', wait: { input: 'go' } },
      { id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: { id: `\${steps.ok.output}` } } },
    ],
    tools: { payments: ['lookup_order', 'issue_refund'] },
    more: {
      inputs: [{ name: 'go' }],
      governance: { approvals: { group: 'refund-approvers', quorum: 1, expiresAfter: 'P7D' } },
    },
  })
}, 120_000)
afterAll(async () => {
  await server.end()
  await api.close()
})

type Execution = { status: string; steps: { id: string; status: string; approvalId: string | null }[] }
/** While the server is down or in another mind it is asked again. */
async function tries<T>(work: () => Promise<T>): Promise<T> {
  let last: unknown
  const done = await until(
    () =>
      work().then(
        (value) => ({ value }),
        (error: unknown) => {
          last = error
          return undefined
        },
      ),
    'the server answered',
    60_000,
  ).catch((cause: unknown) => {
    throw last ?? cause
  })
  return done.value
}
const get = async (id: string) =>
  tries(async () => payload<Execution>(await api.query(await api.person('maria'), 'executions.get', { id })))
const reaches = (id: string, status: string) =>
  until(async () => ((await get(id)).status === status ? await get(id) : undefined), `${id} ${status}`, 90_000)
const lines = async (event: string, key: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.startsWith(`${event} `) && line.endsWith(key))
const called = (key: string, times = 1) =>
  until(async () => ((await lines('called', key)).length >= times ? true : undefined), `${key} was called`, 60_000)
const hold = (tool: string) => writeFile(join(api.gate, `hold-${tool}`), '')
const release = (tool: string) => rm(join(api.gate, `hold-${tool}`), { force: true })

const start = async () =>
  payload<{ executionId: string }>(
    await api.mutate(await api.person('maria'), 'executions.execute', {
      agentId,
      environment: 'production',
      input: {},
    }),
  ).executionId
/** The same event as often as it takes; its receipt is one. */
const send = (executionId: string, baseUrl = api.baseUrl) =>
  tries(async () => {
    const token = await api.client('ci-pipeline')
    const response = await fetch(new URL('/v1/input-events', baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': executionId,
      },
      body: JSON.stringify({ correlation: { executionId, input: 'go' }, data: 'A-1003' }),
    })
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  })
const approvalOf = async (id: string) =>
  (await reaches(id, 'waiting_approval')).steps.find((step) => step.id === 'refund')?.approvalId ?? ''
/** A person approves, unless that was done before. */
const approved = (id: string) =>
  until(
    () =>
      tries(async () => {
        const { status, steps } = await get(id)
        const approvalId = steps.find((step) => step.id === 'refund')?.approvalId
        if (status === 'succeeded') return true
        if (approvalId == null) return undefined
        const approval = payload<{ status: string }>(
          await api.query(await api.person('jonas'), 'approvals.get', { approvalId }),
        )
        if (approval.status === 'pending') await approve(api, approvalId)
        return true
      }),
    `${id} was approved`,
    90_000,
  )

const database = () => new URL(api.ownerUrl).pathname.slice(1)
const terminate = () =>
  server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database()])
/** Nobody gets in for a while, as when the database is restarted. */
async function outage(): Promise<void> {
  await server.query(`alter database ${database()} connection limit 0`)
  await terminate()
  await server.query('select pg_sleep(3)')
  await server.query(`alter database ${database()} connection limit -1`)
}
const queueAgain = async (id: string) => {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  for (const key of [id, null, null])
    await owner.query(
      `insert into pgboss.job (name, data, singleton_key, policy, retry_limit)
       select 'executions', jsonb_build_object('tenantId', tenant_id, 'id', id), $2, 'singleton', 5
       from executions where id = $1`,
      [id, key],
    )
  await owner.end()
}
/** The tool servers of the running process: its children that hold the gate. */
const killToolServers = () => {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(api.process.pid)], { encoding: 'utf8' })
  for (const pid of pids.split('\n').map(Number).filter(Boolean)) {
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    if (command.includes('gated-payments')) process.kill(pid, 'SIGKILL')
  }
}

type Fault = { name: string; small?: true; run(id: () => Promise<string>): Promise<string> }
const faults: Fault[] = [
  {
    name: 'kill -9 when it was just started',
    small: true,
    async run(begin) {
      const id = await begin()
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'kill -9 during a call that reads',
    async run(begin) {
      await hold('lookup_order')
      const id = await begin()
      await called(`${id}:order`)
      await api.killAndRestart()
      await release('lookup_order')
      return id
    },
  },
  {
    name: 'kill -9 while it waits for input',
    async run(begin) {
      const id = await begin()
      await reaches(id, 'waiting_input')
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'kill -9 when its input was just accepted',
    small: true,
    async run(begin) {
      const id = await begin()
      await reaches(id, 'waiting_input')
      await send(id)
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'kill -9 while its input is being sent',
    async run(begin) {
      const id = await begin()
      await reaches(id, 'waiting_input')
      const sending = send(id)
      await api.killAndRestart()
      await sending
      return id
    },
  },
  {
    name: 'kill -9 while it waits for a person',
    async run(begin) {
      const id = await begin()
      await send(id)
      await approvalOf(id)
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'kill -9 when it was just approved',
    async run(begin) {
      const id = await begin()
      await send(id)
      await approved(id)
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'kill -9 during the payment, before it was paid',
    async run(begin) {
      await hold('issue_refund')
      const id = await begin()
      await send(id)
      await approved(id)
      await called(`${id}:refund`)
      await api.killAndRestart()
      await release('issue_refund')
      return id
    },
  },
  {
    name: 'kill -9 after it was paid, before anybody heard of it',
    small: true,
    async run(begin) {
      await hold('issue_refund')
      const id = await begin()
      await send(id)
      await approved(id)
      await called(`${id}:refund`)
      api.process.kill('SIGSTOP')
      await release('issue_refund')
      await until(async () => ((await lines('paid', `${id}:refund`)).length > 0 ? true : undefined), 'it was paid')
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'two kills in a row: the second during the recovery',
    async run(begin) {
      const id = await begin()
      await send(id)
      await api.killAndRestart()
      await api.killAndRestart()
      return id
    },
  },
  {
    name: 'every connection to the database is cut while it waits',
    small: true,
    async run(begin) {
      const id = await begin()
      await reaches(id, 'waiting_input')
      await terminate()
      return id
    },
  },
  {
    name: 'every connection to the database is cut during the payment',
    async run(begin) {
      await hold('issue_refund')
      const id = await begin()
      await send(id)
      await approved(id)
      await called(`${id}:refund`)
      await terminate()
      await release('issue_refund')
      return id
    },
  },
  {
    name: 'the database is away when the payment is to be recorded',
    async run(begin) {
      await hold('issue_refund')
      const id = await begin()
      await send(id)
      await approved(id)
      await called(`${id}:refund`)
      const away = outage()
      await release('issue_refund')
      await away
      return id
    },
  },
  {
    name: 'its job is there four times',
    small: true,
    async run(begin) {
      const id = await begin()
      await queueAgain(id)
      await reaches(id, 'waiting_input')
      await queueAgain(id)
      await send(id)
      await approvalOf(id)
      await queueAgain(id)
      return id
    },
  },
  {
    name: 'the process is frozen in a call, another node takes over, the frozen one wakes up',
    async run(begin) {
      await hold('lookup_order')
      const id = await begin()
      await called(`${id}:order`)
      const frozen = api.process
      const other = await secondNode(api)
      frozen.kill('SIGSTOP')
      try {
        await called(`${id}:order`, 2)
        await release('lookup_order')
        await send(id, other.baseUrl)
      } finally {
        frozen.kill('SIGCONT')
      }
      await approved(id)
      await reaches(id, 'succeeded')
      await other.close()
      return id
    },
  },
  {
    name: 'the tool server is killed before it pays',
    async run(begin) {
      await hold('issue_refund')
      const id = await begin()
      await send(id)
      await approved(id)
      await called(`${id}:refund`)
      killToolServers()
      await release('issue_refund')
      return id
    },
  },
]

const rounds = sized(3, 1)
const chosen = faults.filter((fault) => sized(true, fault.small === true))

test.each(chosen)(
  '$name: it ends well, and has paid once',
  async ({ run }) => {
    for (let round = 0; round < rounds; round++) {
      const id = await run(start)
      await send(id)
      await approved(id)
      await reaches(id, 'succeeded')
      expect(await lines('paid', `${id}:refund`)).toHaveLength(1)
      const { items } = payload<{ items: { seq: number; type: string }[] }>(
        await api.query(await api.person('maria'), 'executions.getEvents', { id }),
      )
      expect(items.map((event) => event.seq)).toEqual(items.map((_event, index) => index + 1))
      for (const once of ['execution.running', 'input.applied', 'approval.decided', 'execution.succeeded'])
        expect([once, items.filter((event) => event.type === once).length]).toEqual([once, 1])
    }
  },
  1_200_000,
)

test('that were the kinds of faults', (context) => {
  countCases(context, chosen.length * rounds)
  expect(faults.length).toBeGreaterThanOrEqual(12)
})
