import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { callsTo } from '#server/testing/api.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { until } from '#server/testing/until.ts'

// ROLES divides an installation: a web process serves requests and never signs; a worker signs and serves no requests.

let database: TestDatabase
let owner: Client
let dataDir: string
type Started = Awaited<ReturnType<typeof startProcess>>
const running: Started[] = []
beforeAll(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-roles-'))
})
afterAll(async () => {
  for (const one of running) await stop(one)
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
  // A sealer would have signed it within a second.
  await until(async () => (await unsigned()).age > 3 || undefined, 'an unsigned record that is three seconds old')
  await start('worker')
  await allSigned()
})

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
