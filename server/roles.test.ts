import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { callsTo, payload } from '#server/testing/api.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { until } from '#server/testing/until.ts'

// ROLES divides an installation: a web process serves requests and never signs; a worker signs and serves no requests.

let database: TestDatabase
let owner: Client
let dataDir: string
let smtp: TestSmtp
type Started = Awaited<ReturnType<typeof startProcess>>
const running: Started[] = []
beforeAll(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-roles-'))
  smtp = await startSmtp()
})
afterAll(async () => {
  for (const one of running) await stop(one)
  await smtp.close()
  await owner.end()
  await database.close()
  await rm(dataDir, { recursive: true })
})

async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function start(roles: string): Promise<Started> {
  const one = await startProcess({
    PORT: '0',
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: dataDir,
    SEED_DEMO: 'true',
    LOG_LEVEL: 'error',
    SMTP_URL: smtp.url,
    ROLES: roles,
  })
  running.push(one)
  return one
}

const statusOf = async (url: string) => (await fetch(url)).status

/** Records that no checkpoint covers, and the age of the oldest in seconds. */
async function unsigned(): Promise<{ count: number; age: number }> {
  const { rows } = await owner.query<{ count: number; age: number }>(
    `select count(*)::int as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
     from audit_records record where record.seq >= coalesce((select max(size) from audit_checkpoints checkpoint
       where checkpoint.tenant_id = record.tenant_id and checkpoint.date = record.date), 0)`,
  )
  return rows[0] ?? { count: 0, age: 0 }
}
const allSigned = () => until(async () => (await unsigned()).count === 0 || undefined, 'the signature of every record')

test('a web process serves and never signs; a worker signs and serves only its health', {
  timeout: 180_000,
}, async () => {
  const seeding = await start('worker')
  await allSigned()
  expect(await statusOf(`${seeding.baseUrl}/v1/health/ready`)).toBe(200)
  for (const path of ['/v1/openapi.json', '/', '/realms/northwind/.well-known/openid-configuration'])
    expect(await statusOf(seeding.baseUrl + path), path).toBe(404)
  await stop(seeding)

  const web = await start('web')
  const api = callsTo(web.baseUrl, JSON.parse(await readFile(join(dataDir, 'demo-credentials.json'), 'utf8')))
  expect((await api.mutate(await api.person('vera'), 'passkeys.beginRegistration', undefined)).status).toBe(200)
  const endDate = new Date(Date.now() + 86_400_000).toISOString()
  const created = await api.request(await api.client('audit-export'), '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ startDate: '2020-01-01T00:00:00Z', endDate, includeProofs: true }),
  })
  expect(created.status, created.text).toBe(202)
  const members = payload<{ items: { id: string; username: string }[] }>(
    await api.query(await api.client('admin-automation'), 'members.list', {}),
  )
  const maria = members.items.find(({ username }) => username === 'maria')
  // Its first member waits for change approvers, who get mails.
  const group = { name: 'mailed', displayName: 'Mailed', memberIds: [maria?.id] }
  const proposed = await api.mutate(await api.client('admin-automation'), 'groups.create', group)
  expect(proposed.status, proposed.text).toBe(200)
  // A sealer would have signed it within a second.
  await until(async () => (await unsigned()).age > 3 || undefined, 'an unsigned record that is three seconds old')
  // Nor has the process made the archive or sent a mail.
  const sent = smtp.received.length
  expect((await jobs()).mails).toBeGreaterThan(0)
  expect((await jobs()).exports).toBe(1)
  await start('worker')
  await allSigned()
  await until(
    async () => {
      const { mails, exports } = await jobs()
      return mails + exports === 0 || undefined
    },
    'a worker sent the mails and made the archive',
    120_000,
  )
  expect(smtp.received.length).toBeGreaterThan(sent)
})

/** Mails that are not sent, and archives that are not made. */
async function jobs(): Promise<{ mails: number; exports: number }> {
  const { rows } = await owner.query<{ mails: number; exports: number }>(
    `select (select count(*)::int from mails where delivery = 'pending') as mails,
       (select count(*)::int from evidence_exports where status not in ('completed', 'completed_with_omissions')) as exports`,
  )
  return rows[0] ?? { mails: 0, exports: 0 }
}

test.each(['', 'web,workers', 'all', ','])(
  'ROLES=%j ends the start with code 1 and names the setting, unless it is empty',
  async (roles) => {
    if (roles === '') return expect([...loadConfig({ ROLES: roles }).roles]).toEqual(['web', 'worker'])
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: { ...testEnvironment, ROLES: roles, PORT: '0', DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part))
    await once(child, 'close')
    expect(child.exitCode).toBe(1)
    expect(text).toContain('ROLES must be web, worker, or both')
  },
)
