import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoMark, demoPrefix } from '#lib/verify/demo.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { aboutLines, conclusionOf } from '#lib/verify/words.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { extractArchive } from '#server/testing/extract.ts'
import { apiProgram } from '#server/testing/processes/bundle.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { until } from '#server/testing/until.ts'

// The command next to a server that runs, on its database: whole in the proof, a share of it in `npm test`.

const root = import.meta.dirname
const share = sized(1, 0.02)
const day = 86_400_000
let database: TestDatabase
let owner: Client
let dataDir: string
let server: ChildProcess
let baseUrl = 'http://localhost:0'
let out: string
let log = ''
const environment = () => ({
  ...testEnvironment,
  PORT: new URL(baseUrl).port,
  SEED_DEMO: 'false',
  LOG_LEVEL: 'warn',
  DATABASE_URL: database.ownerUrl,
  DATA_DIR: dataDir,
})

beforeAll(async () => {
  database = await testDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-demo-'))
  server = spawn(process.execPath, [await apiProgram()], { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  if (server.stdout === null) throw new Error('unreachable: it is a pipe')
  const lines = createInterface({ input: server.stdout })
  const [line] = await once(lines, 'line')
  baseUrl = String(line).replace('ready ', '')
  lines.on('line', (more) => (log += `${more}\n`))
  server.stderr?.on('data', (more) => (log += String(more)))
  const command = [join(root, 'testing/processes/small-demo.ts'), String(share)]
  const done = await promisify(execFile)(process.execPath, command, { env: environment(), cwd: dataDir })
  out = done.stdout
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
}, 900_000)
afterAll(async () => {
  await owner?.end()
  server.kill('SIGTERM')
  await once(server, 'exit')
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

const read = async <T extends object>(text: string): Promise<T[]> => (await owner.query<T>(text)).rows

async function tokenOf(username: string): Promise<string> {
  const path = /Their passwords: (.*)\n/.exec(out)?.[1] ?? 'no path'
  const [tenant] = JSON.parse(await readFile(path, 'utf8')).tenants
  const user = tenant.users.find((one: { username: string }) => one.username === username)
  return (await signIn(baseUrl, tenant.slug, username, user.password)).accessToken
}

async function ask(token: string, path: string): Promise<Response> {
  const response = await fetch(`${baseUrl}/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  return response
}

test('it says what it made, and how to sign in', () => {
  expect(out).toMatch(/\d+ executions, \d+ decisions and \d+ traces of unregistered programs in \d+ s\.\n/)
  expect(out).toContain('with the organisation harbour, as priya')
})

test('the tenant is a demo whose clock began two weeks ago and is the ordinary one now', async () => {
  const tenants = await read<{ external_id: string; ago: number; behind: number }>(
    `select external_id, extract(epoch from now() - demo_from)::float8 * 1000 as ago,
      extract(epoch from clock_behind)::float8 as behind from tenants`,
  )
  expect(tenants).toMatchObject([{ external_id: `${demoPrefix}harbour`, behind: 0 }])
  expect(tenants[0]?.ago).toBeGreaterThan(14 * day)
  expect(tenants[0]?.ago).toBeLessThan(14.1 * day)
})

test('its records go forward, from the first day to today, and each day was closed before the next had records', async () => {
  const records = await read<{ at: Date; day: string }>(
    'select created_at as at, date::text as day from audit_records order by date, seq',
  )
  const times = records.map(({ at }) => at.getTime())
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(records.every(({ at, day: of }) => at.toISOString().startsWith(of))).toBe(true)
  expect(Date.now() - (times[0] ?? 0)).toBeGreaterThan(14 * day)
  const days = await read<{ date: string; sealed: Date | null; first: Date | null }>(
    `select d.date::text as date, sealed_at as sealed,
      (select min(created_at) from audit_records r where r.date > d.date and r.type <> 'audit_log.day_sealed') as first
     from audit_days d order by d.date`,
  )
  expect(days.length).toBeGreaterThanOrEqual(15)
  const dates = days.map(({ date }) => Date.parse(date))
  expect(dates.every((date, at) => at === 0 || date - (dates[at - 1] ?? 0) === day)).toBe(true)
  for (const { date, sealed, first } of days.slice(0, -1)) {
    expect(sealed?.getTime()).toBeGreaterThanOrEqual(Date.parse(date) + day)
    // Within the first minutes of the next day, as the signer of a server does.
    expect(sealed?.getTime()).toBeLessThan(Date.parse(date) + day + 15 * 60_000)
    if (first !== null) expect(sealed?.getTime()).toBeLessThanOrEqual(first.getTime())
  }
  const seals = await read<{ date: string }>('select date::text as date from audit_seals order by seq')
  expect(seals.map(({ date }) => date)).toEqual(days.slice(0, seals.length).map(({ date }) => date))
  expect(seals.length).toBeGreaterThanOrEqual(14)
  expect(await read('select from alarms')).toEqual([])
})

test('it looks like a company: six agents, every outcome, and two programs that no one registered', async () => {
  const agents = await read<{ name: string }>('select name from agents order by name')
  expect(agents).toHaveLength(6)
  const statuses = async (table: string) =>
    new Map(
      (await read<{ status: string; n: number }>(`select status, count(*)::int as n from ${table} group by 1`)).map(
        ({ status, n }) => [status, n],
      ),
    )
  const executions = await statuses('executions')
  for (const status of ['succeeded', 'failed', 'denied', 'rejected', 'waiting_approval'])
    expect([...executions.keys()]).toContain(status)
  const approvals = await statuses('approvals')
  for (const status of ['approved', 'rejected', 'expired', 'pending']) expect([...approvals.keys()]).toContain(status)
  if (share === 1) {
    expect(approvals.get('pending')).toBe(40)
    const decided = [...approvals].reduce((sum, [status, n]) => (status === 'pending' ? sum : sum + n), 0)
    expect(decided).toBeGreaterThanOrEqual(300)
  }
  const observed = await read<{ name: string }>('select name from observed_agents order by name')
  expect(observed.map(({ name }) => name)).toEqual(['invoice-reader', 'sales-copilot'])
  // What waits ends by itself: the queue that all processes share has a job for each request.
  const endless = await read(
    `select from approvals a where status = 'pending' and not exists (
      select from pgboss.job where name = 'approval-expiry' and data ->> 'id' = a.id::text and start_after > now())`,
  )
  expect(endless).toEqual([])
})

test('its archive verifies, and says wherever it is read that it is a demo', async () => {
  const token = await tokenOf('victor')
  const ended = async () => {
    const { items } = (await (await ask(token, 'evidence/export-jobs')).json()) as {
      items: { exportId: string; status: string; endedAt: string | null }[]
    }
    return items.find(({ endedAt }) => endedAt !== null)
  }
  // The server itself ends an export that takes too long, so this waits for its end, whatever that is.
  const made = await until(ended, 'The end of the export', 600_000)
  expect(made.status).toMatch(/^completed/)
  const bytes = await (await ask(token, `evidence/factory/jobs/${made.exportId}/download`)).arrayBuffer()
  const report = await verifyArchive(new Blob([bytes]))
  expect(report.checks.filter(({ state }) => state === 'fails')).toEqual([])
  expect(
    report.checks.filter(
      ({ verdict, state, aside }) =>
        state !== 'holds' && aside !== true && ['integrity', 'log', 'completeness'].includes(verdict),
    ),
  ).toEqual([])
  expect(report.verdicts).toMatchObject({ integrity: 'holds', log: 'holds', completeness: 'holds' })
  if (report.about === undefined) throw new Error('The archive says nothing of itself.')
  expect(aboutLines(report.about)).toContainEqual(['Demo', demoMark])
  expect(conclusionOf(report)).toContain(demoMark)
  const top = await extractArchive(Buffer.from(bytes), join(dataDir, 'archive'))
  for (const file of ['README.txt', 'bag-info.txt', 'manifest.json', 'data/report.html'])
    expect(await readFile(join(top, file), 'utf8'), file).toContain(demoMark)
  const [checkpoint] = (await readdir(join(top, 'data/proofs'))).filter((name) => name.endsWith('.checkpoint'))
  expect(await readFile(join(top, 'data/proofs', checkpoint ?? ''), 'utf8')).toContain(demoPrefix)
}, 660_000)

test('its people go on: what waits is decided by the server, and the agent carries it out', async () => {
  const token = await tokenOf('priya')
  const wanted = encodeURIComponent(JSON.stringify({ json: { view: 'needs-me', limit: 50 } }))
  const { result } = (await (await ask(token, `approvals.getPending?input=${wanted}`)).json()) as {
    result: { data: { json: { items: { approvalId: string; title: string }[] } } }
  }
  const refund = result.data.json.items.find(({ title }) => title.startsWith('Issue refund'))
  const decided = await fetch(`${baseUrl}/v1/approvals.decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      json: {
        approvalId: refund?.approvalId,
        decision: 'approve',
        decisionAcknowledged: true,
        reason: 'The order came back.',
      },
    }),
  })
  expect(decided.status).toBe(200)
  const ended = async () => {
    const [execution] = await read<{ status: string }>(
      `select e.status from executions e join approvals a on a.tenant_id = e.tenant_id and a.subject_id = e.id
       where a.id = '${refund?.approvalId}' and e.ended_at is not null`,
    )
    return execution?.status
  }
  expect(await until(ended, 'The end of the execution')).toBe('succeeded')
}, 60_000)

test('the server that ran at the same time has nothing to report', () => {
  expect(log).toBe('')
})
