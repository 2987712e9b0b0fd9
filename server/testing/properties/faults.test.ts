// Longer than other files: one server with a proxy and a clock serves every fault.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { type FreezableProxy, freezableProxy } from '#server/testing/fakes/freezable-proxy.ts'
import { secondNode } from '#server/testing/processes/second-node.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { freshClient } from '#server/testing/trace-reader.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'
import { payments } from './payment.ts'

// An execution looks up an order, waits for input, waits for a person, and pays. At each of these boundaries a fault occurs.
// After each fault the execution succeeds without intervention, and a separate process has counted one payment.

let api: TestApi
let folder: string
let server: Client
let proxy: FreezableProxy
let paying: Awaited<ReturnType<typeof payments>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-faults-'))
  await writeFile(clock(), '0')
  const preload = `--import=${new URL('../processes/jumping-clock.ts', import.meta.url)}`
  api = await startApi({ LOG_LEVEL: 'silent', NODE_OPTIONS: preload, COUNTERSIGN_CLOCK: clock() }, {}, async (url) => {
    proxy = await freezableProxy(url)
    return proxy.url
  })
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  paying = await payments(api)
}, 240_000)
afterAll(async () => {
  await server.end()
  await api.close()
  await proxy.close()
  await rm(folder, { recursive: true })
})

const database = () => new URL(api.ownerUrl).pathname.slice(1)
const terminate = () =>
  server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database()])
async function withOwner<T>(work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}
const asOwner = (...statements: [text: string, values?: unknown[]][]) =>
  withOwner(async (owner) => {
    for (const [text, values] of statements) await owner.query(text, values)
  })
/** Whether an active job has missed its heartbeat. */
const hasStaleJob = async (owner: Client) =>
  (
    await owner.query(
      `select from pgboss.job where name = 'executions' and state = 'active'
       and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`,
    )
  ).rowCount !== 0

const kill = () => api.killAndRestart()
/** Refuses connections until the server has tried five times, as when the database is restarted. */
async function outage(): Promise<void> {
  await server.query(`alter database ${database()} connection limit 0`)
  await terminate()
  const before = proxy.opened()
  await until(async () => (proxy.opened() >= before + 5 ? true : undefined), 'the server tried to connect again')
  await server.query(`alter database ${database()} connection limit -1`)
}
/** Freezes the database for longer than a job's heartbeat, so that its worker counts as dead and then returns. */
async function frozenDatabase(): Promise<void> {
  proxy.freeze()
  await until(async () => (await withOwner(hasStaleJob)) || undefined, 'the worker counts as dead', 60_000)
  proxy.thaw()
}
/** Fails all inserts into the journal with PostgreSQL's error for a full disk. */
async function fullDisk(): Promise<void> {
  await asOwner(
    // A sequence keeps its value when the insert is rolled back.
    ['create sequence disk_full_seen'],
    [
      `create function disk_full() returns trigger language plpgsql security definer as $$ begin
        perform nextval('public.disk_full_seen');
        raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    ],
    ['create trigger disk_full before insert on execution_events execute function disk_full()'],
  )
  await paying.release('issue_refund')
  const refused = async (owner: Client) =>
    (await owner.query('select from disk_full_seen where is_called')).rowCount === 1
  await until(async () => (await withOwner(refused)) || undefined, 'the disk was full for an entry')
  await asOwner(['drop function disk_full cascade'], ['drop sequence disk_full_seen'])
}
const queueAgain = (id: string) =>
  asOwner(
    ...[id, null, null].map((key): [string, unknown[]] => [
      `insert into pgboss.job (name, data, singleton_key, policy, retry_limit)
       select 'executions', jsonb_build_object('tenantId', tenant_id, 'id', id), $2, 'singleton', 5
       from executions where id = $1`,
      [id, key],
    ]),
  )
/** Kills the tool servers of the running process: its child processes that wait at the gate. */
async function killToolServers(): Promise<void> {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(api.process.pid)], { encoding: 'utf8' })
  for (const pid of pids.split('\n').map(Number).filter(Boolean)) {
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    if (command.includes('gated-payments')) process.kill(pid, 'SIGKILL')
  }
}
/** Shifts the server's clock, and waits until the server issues a token of the shifted time. */
async function jump(shiftMs: number): Promise<void> {
  await writeFile(clock(), String(shiftMs))
  api.process.kill('SIGUSR2')
  await until(
    async () => {
      const [, claims = ''] = (await freshClient(api, 'ci-pipeline')).split('.')
      const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number }
      return Math.abs(iat * 1000 - Date.now() - shiftMs) < 60_000 ? true : undefined
    },
    'the clock has jumped',
    60_000,
  )
  // Earlier tokens have expired by this clock, or were issued in its future.
  api.forgetTokens()
}
const clock = () => join(folder, 'clock')
const aheadMs = 2 * 86_400_000
/** While the clock is behind, people can't sign in, because authorization codes expire by the database's clock. */
const backMs = -20 * 60_000
/** Waits until the execution has ended, by its row, because tokens may not be valid. */
async function recorded(id: string): Promise<void> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const ended = async () =>
    (await owner.query('select from executions where id = $1 and ended_at is not null', [id])).rowCount === 1
  await until(async () => ((await ended()) ? true : undefined), `${id} ended`, 90_000)
  await owner.end()
}

type Fault = { name: string; small?: true; run(): Promise<string> }
const faults: Fault[] = [
  { name: 'kill -9 when it was just started', run: () => paying.broken('started', kill) },
  { name: 'kill -9 during a call that reads', run: () => paying.broken('reading', kill) },
  { name: 'kill -9 while it waits for input', run: () => paying.broken('waiting', kill) },
  { name: 'kill -9 when its input was just accepted', small: true, run: () => paying.broken('sent', kill) },
  {
    name: 'kill -9 while its input is being sent',
    run: () => paying.broken('waiting', async (id) => void (await Promise.all([paying.send(id), kill()]))),
  },
  { name: 'kill -9 while it waits for a person', run: () => paying.broken('asked', kill) },
  {
    name: 'kill -9 while the person’s decision is being sent',
    run: () => paying.broken('asked', async (id) => void (await Promise.all([paying.approved(id), kill()]))),
  },
  { name: 'kill -9 when it was just approved', run: () => paying.broken('approved', kill) },
  { name: 'kill -9 during the payment, before it was paid', run: () => paying.broken('paying', kill) },
  {
    name: 'kill -9 after the payment, before its answer was recorded',
    small: true,
    run: () =>
      paying.broken('paying', async (id) => {
        api.process.kill('SIGSTOP')
        await paying.release('issue_refund')
        await paying.happened('paid', `${id}:refund`)
        await kill()
      }),
  },
  {
    name: 'two kills in a row: the second during the recovery',
    run: () =>
      paying.broken('started', async (id) => {
        await paying.send(id)
        await kill()
        await kill()
      }),
  },
  {
    name: 'every connection to the database is cut while it waits',
    small: true,
    run: () => paying.broken('waiting', async () => void (await terminate())),
  },
  {
    name: 'every connection to the database is cut during the payment',
    run: () => paying.broken('paying', async () => void (await terminate())),
  },
  {
    name: 'the database is away when the payment is to be recorded',
    run: () =>
      paying.broken('paying', async () => {
        const away = outage()
        await paying.release('issue_refund')
        await away
      }),
  },
  { name: 'the database freezes during the payment', run: () => paying.broken('paying', frozenDatabase) },
  {
    name: 'the database’s disk is full when the payment is to be recorded',
    run: () => paying.broken('paying', fullDisk),
  },
  { name: 'the clock jumps two days ahead while it waits', run: () => paying.broken('waiting', () => jump(aheadMs)) },
  {
    name: 'the clock jumps two days ahead during the payment',
    small: true,
    run: () => paying.broken('paying', () => jump(aheadMs)),
  },
  {
    name: 'the clock jumps twenty minutes back during the payment',
    run: () =>
      paying.broken('paying', async (id) => {
        await jump(backMs)
        await paying.release('issue_refund')
        await recorded(id)
        await jump(0)
      }),
  },
  {
    name: 'the clock jumps ahead and back, and the server is killed',
    run: () =>
      paying.broken('paying', async (id) => {
        await jump(aheadMs)
        await jump(backMs)
        await kill()
        await paying.release('issue_refund')
        await recorded(id)
        await jump(0)
      }),
  },
  {
    name: 'its job is there four times',
    small: true,
    run: () =>
      paying.broken('started', async (id) => {
        await queueAgain(id)
        await paying.reaches(id, 'waiting_input')
        await queueAgain(id)
        await paying.send(id)
        await paying.reaches(id, 'waiting_approval')
        await queueAgain(id)
      }),
  },
  {
    name: 'the process is frozen in a call, another node takes over, the frozen one wakes up',
    run: () =>
      paying.broken('reading', async (id) => {
        const frozen = api.process
        const other = await secondNode(api)
        // Caches the token for `send`, because the frozen node issues none.
        await api.client('ci-pipeline')
        frozen.kill('SIGSTOP')
        try {
          await paying.happened('called', `${id}:order`, 2)
          await paying.release('lookup_order')
          await paying.send(id, other.baseUrl)
        } finally {
          frozen.kill('SIGCONT')
        }
        await paying.approved(id)
        await paying.reaches(id, 'succeeded')
        await other.close()
      }),
  },
  { name: 'the tool server is killed before it pays', run: () => paying.broken('paying', killToolServers) },
]

const rounds = sized(3, 1)
const chosen = faults.filter((fault) => sized(true, fault.small === true))

test.each(chosen)(
  '$name: it ends well, and has paid once',
  async ({ run }) => {
    for (let round = 0; round < rounds; round++) {
      const id = await run()
      await paying.send(id)
      await paying.approved(id)
      await paying.reaches(id, 'succeeded')
      expect(await paying.lines('paid', `${id}:refund`)).toHaveLength(1)
      const { items } = payload<{ items: { seq: number; type: string }[] }>(
        await api.query(await api.person('maria'), 'executions.getEvents', { id }),
      )
      expect(items.map((event) => event.seq)).toEqual(items.map((_event, index) => index + 1))
      for (const once of ['execution.running', 'input.applied', 'approval.decided', 'execution.succeeded'])
        expect([once, items.filter((event) => event.type === once).length]).toEqual([once, 1])
      await jump(0)
    }
  },
  1_200_000,
)

test('a clock that is behind doesn’t extend a wait', async () => {
  const agentId = await releaseAgent(api, 'lapsing', {
    steps: [{ id: 'ok', wait: { input: 'go' } }],
    tools: {},
    more: { inputs: [{ name: 'go', ttl: 'PT2S' }] },
  })
  await jump(backMs)
  const ci = await api.client('ci-pipeline')
  const { executionId: id } = payload<{ executionId: string }>(
    await api.mutate(ci, 'executions.execute', { agentId, environment: 'production', input: {} }),
  )
  const code = await until(
    async () => payload<{ error: { code: string } | null }>(await api.query(ci, 'executions.get', { id })).error?.code,
    `${id} ended`,
    90_000,
  )
  expect(code).toBe('wait_expired')
  await jump(0)
}, 300_000)

test('at least twelve kinds of faults ran', (context) => {
  countCases(context, chosen.length * rounds)
  expect(faults.length).toBeGreaterThanOrEqual(12)
})
