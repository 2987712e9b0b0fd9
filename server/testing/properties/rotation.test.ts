import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentTables } from '#server/kernel/content/tables.ts'
import { masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { tenantKeyContext } from '#server/kernel/keys/tenant-keys.ts'
import { createVault } from '#server/kernel/vault.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { allContent } from '#server/testing/content.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'
import { testEnvironment } from '../processes/environment.ts'
import { askAsExternalAgent, type Canaries, runSteps, stepsAgent } from './canary-agents.ts'

// After a rotation of the master key, all encrypted content is readable as before, and the old key decrypts none of it.

const canaries: Canaries = { content: 'kanarienvogel', sensitive: 'kanarienvogel-7@mail.example' }
const justification = { 'x-svc-justification': 'The property test reads the unmasked values.' }

let api: TestApi
let owner: Client
let steps: Awaited<ReturnType<typeof runSteps>>
let secretId: string
beforeAll(async () => {
  api = await startApi({}, { hostile: [join(import.meta.dirname, '../fakes/hostile-tools.ts')] })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const agentId = await stepsAgent(api)
  steps = await runSteps(api, agentId, canaries)
  await askAsExternalAgent(api, agentId, canaries)
  const file = await api.request(await api.client('ci-pipeline'), '/v1/files?name=letter.txt', {
    method: 'POST',
    body: 'A letter.',
  })
  expect(file.status).toBe(201)
  const more = await releaseAgent(api, 'asks-by-mail', {
    steps: [
      { id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1001' } } },
      { id: 'ok', wait: { input: 'answer' } },
    ],
    tools: { payments: ['lookup_order'] },
    more: { inputs: [{ name: 'answer', ttl: 'PT1S', onExpiry: 'continue', ask: 'jonas@northwind.example' }] },
  })
  expect(await executionsOf(api).run(more, { note: canaries.content })).toMatchObject({ status: 'succeeded' })
  const secret = { name: 'rotation-key', value: canaries.content }
  secretId = payload<{ secretId: string }>(await api.mutate(await api.person('tom'), 'secrets.create', secret)).secretId
  await until(async () => {
    const { rowCount } = await owner.query(`select 1 from mails where delivery in ('pending', 'in_flight')`)
    return rowCount === 0 ? true : undefined
  }, 'no mail is under way')
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const dataDir = () => join(dirname(api.gate), 'data')
const keyLines = async () => (await readFile(masterKeyFile(dataDir()), 'utf8')).trim().split('\n')
const rotation = (): { child: ChildProcess; ended: Promise<{ code: unknown; said: string }> } => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../cli/rotate-master-key.mjs')], {
    cwd: dataDir(),
    env: { ...testEnvironment, DATABASE_URL: api.ownerUrl, DATA_DIR: dataDir() },
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)))
  return { child, ended: once(child, 'close').then(([code]) => ({ code, said: said.join('') })) }
}
/** The database connections of the application's role: those of servers and of a rotation. */
const backends = async () =>
  (
    await owner.query<{ waits: string | null }>(
      `select wait_event_type as waits from pg_stat_activity
       where datname = current_database() and usename = current_database() || '_app'`,
    )
  ).rows
const disconnected = () =>
  until(async () => ((await backends()).length === 0 ? true : undefined), 'all connections are closed', 60_000)
const unmasked = async () => {
  const pia = await api.person('pia')
  const trace = { traceId: steps.traceId, includeSensitiveData: true }
  const { spans } = payload<{ spans: unknown[] }>(await api.query(pia, 'traces.getTrace', trace, justification))
  const secret = payload(await api.query(await api.person('tom'), 'secrets.get', { id: secretId, includeValue: true }))
  return { spans, secret }
}

test('a rotation that is killed and repeated leaves all content readable with only the new key', async () => {
  const before = { content: await allContent(api), clear: await unmasked() }
  const kinds = contentTables.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
  expect(kinds.filter((kind) => !before.content.some(({ column }) => column === kind))).toEqual([])
  expect(JSON.stringify(before.clear)).toContain(canaries.sensitive)
  expect(JSON.stringify(before.clear.secret)).toContain(canaries.content)
  const [oldKey = ''] = await keyLines()

  await api.killAndRestart(async () => {
    await disconnected()
    // The lock stops the rotation after it has encrypted some keys. A separate connection, because pg_stat_activity doesn't
    // change within a transaction.
    const blocker = new Client({ connectionString: api.ownerUrl })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query(
      'select 1 from signing_keys where tenant_id = (select max(tenant_id::text)::uuid from signing_keys) for update',
    )
    const killed = rotation()
    await until(
      async () => ((await backends()).some(({ waits }) => waits === 'Lock') ? true : undefined),
      'the rotation waits for the lock',
      60_000,
    )
    expect(await keyLines()).toHaveLength(2)
    killed.child.kill('SIGKILL')
    await killed.ended
    await blocker.end()
    await disconnected()
    expect(await keyLines()).toContain(oldKey)
    const { code, said } = await rotation().ended
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringMatching(/encrypted with the current master key/),
    })
    await disconnected()
  })

  const after = await keyLines()
  expect(after).toHaveLength(1)
  expect(after).not.toContain(oldKey)
  const now = new Map((await allContent(api)).map(({ column, key, text }) => [`${column} ${key}`, text]))
  for (const { column, key, text } of before.content)
    expect([column, key, now.get(`${column} ${key}`)]).toEqual([column, key, text])
  expect(await unmasked()).toEqual(before.clear)
  const { rows } = await owner.query<{ tenant_id: string; version: number; sealed_key: Buffer }>(
    'select tenant_id, version, sealed_key from tenant_keys',
  )
  expect(rows.length).toBeGreaterThan(0)
  const vault = createVault(Buffer.from(oldKey, 'base64'))
  for (const { tenant_id: tenantId, version, sealed_key: encrypted } of rows)
    expect(() => vault.decrypt(encrypted, tenantKeyContext(tenantId, version))).toThrow()
}, 180_000)
