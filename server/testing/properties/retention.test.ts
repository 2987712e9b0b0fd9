import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { type Database, openDatabase } from '#server/kernel/db/database.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { createLog } from '#server/kernel/log.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { purgeContent } from '#server/privacy/retention.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { contentWith } from '#server/testing/content.ts'
import { type ExecutionAnswer, executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'
import { askAsExternalAgent, type Canaries, runSteps, stepsAgent } from './canary-agents.ts'

// Deletes content that is older than the tenant's retention, and keeps content that is younger, on hold or in progress.

const canaries: Canaries = { content: 'kanarienvogel', sensitive: 'kanarienvogel-7@mail.example' }
const { content } = canaries

let api: TestApi
let owner: Client
let database: Database
let tenantId: string
let old: Awaited<ReturnType<typeof runSteps>>
let young: ExecutionAnswer
let held: ExecutionAnswer
let waiting: string
let fileId: string
beforeAll(async () => {
  api = await startApi({}, { hostile: [join(import.meta.dirname, '../fakes/hostile-tools.ts')] })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const agentId = await stepsAgent(api)
  old = await runSteps(api, agentId, canaries)
  await askAsExternalAgent(api, agentId, canaries)
  const executions = executionsOf(api)
  const lookup = await releaseAgent(api, 'looks-up', {
    steps: [{ id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1001' } } }],
    tools: { payments: ['lookup_order'] },
  })
  const stored = await api.request(await api.client('ci-pipeline'), '/v1/files?name=letter.txt', {
    method: 'POST',
    body: `Dear ${content},`,
  })
  fileId = (stored.body as { id: string }).id
  const withFile = await executions.run(lookup, { note: content, letter: { $file: fileId } })
  young = await executions.run(lookup, { note: content })
  held = await executions.run(lookup, { note: content })
  payload(await api.mutate(await api.person('vera'), 'holds.create', { traceId: held.traceId, reason: 'Case 17.' }))
  const waiter = await releaseAgent(api, 'waits', {
    steps: [{ id: 'ok', wait: { input: 'answer' } }],
    tools: { payments: ['lookup_order'] },
    more: { inputs: [{ name: 'answer' }] },
  })
  waiting = await executions.start(waiter, { note: content })
  await until(async () => ((await executions.get(waiting)).status === 'waiting_input' ? true : undefined), 'it waits')
  await until(async () => {
    const { rowCount } = await owner.query(`select 1 from mails where delivery in ('pending', 'in_flight')`)
    return rowCount === 0 ? true : undefined
  }, 'no mail is under way')

  const { rows } = await owner.query<{ id: string }>(`select id from tenants where slug = 'northwind'`)
  tenantId = rows[0]?.id ?? ''
  // All content is forty days old, except the recent execution.
  const day40 = `now() - interval '40 days'`
  await owner.query(`update executions set created_at = ${day40}, ended_at = case when ended_at is null then null else ${day40} end
    where id <> '${young.id}'`)
  for (const [table, column] of [
    ['approvals', 'decided_at'],
    ['approvals', 'requested_at'],
    ['policy_decisions', 'created_at'],
    ['input_events', 'settled_at'],
    ['mails', 'created_at'],
    ['idempotency_keys', 'created_at'],
    ['files', 'created_at'],
  ])
    await owner.query(`update ${table} set ${column} = ${day40} where ${column} is not null`)
  expect(withFile.status).toBe('succeeded')

  const config = loadConfig({ DATA_DIR: join(dirname(api.gate), 'data'), LOG_LEVEL: 'silent' })
  const log = createLog('silent')
  database = openDatabase(await migrate(api.ownerUrl), log, { poolSize: 2 })
  const vault = createVault(...(await loadMasterKeys(config)))
  setRuntime({ config, log, database, vault } as Runtime)
  bindRows()
}, 180_000)
afterAll(async () => {
  await database.close()
  await owner.end()
  await api.close()
})

const contentFile = async () => {
  const { rows } = await owner.query<{ sha256: string }>('select sha256 from files where id = $1', [fileId])
  const { sha256 = '' } = rows[0] ?? {}
  return join(dirname(api.gate), 'data', 'files', tenantId, sha256.slice(0, 2), sha256)
}
const setRetention = (days: number | null) =>
  owner.query(`update tenants set settings = settings || $2 where id = $1`, [tenantId, { retentionDays: days }])
const ids = (found: ReadonlyMap<string, string[]>) =>
  [...new Set([...found.values()].flat().map((key) => key.split(' ')[0]))].sort()

test('nothing is deleted while the tenant keeps it without limit, or for longer', async () => {
  const before = await contentWith(api, content)
  expect(ids(before).length).toBeGreaterThan(5)
  await purgeContent(tenantId, Date.now())
  await setRetention(41)
  await purgeContent(tenantId, Date.now())
  expect(await contentWith(api, content)).toEqual(before)
})

test('older content is deleted; content that is in progress, open, held or recent remains', async () => {
  await setRetention(30)
  expect(existsSync(await contentFile())).toBe(true)
  // Two processes concurrently, and a third run: the first one deletes everything.
  await Promise.all([purgeContent(tenantId, Date.now()), purgeContent(tenantId, Date.now())])
  await purgeContent(tenantId, Date.now())
  const { rows: open } = await owner.query<{ id: string; decision: string }>(
    `select id, decision_id as decision from approvals where status = 'pending' and kind = 'external_call'`,
  )
  expect(open).toHaveLength(1)
  const left = await contentWith(api, content)
  expect(ids(left)).toEqual([young.id, held.id, waiting, open[0]?.id, open[0]?.decision].sort())
  expect(existsSync(await contentFile())).toBe(false)
}, 60_000)

test('answers state what was deleted, and the audit log records it', async () => {
  const maria = await api.person('maria')
  const execution = payload(await api.query(maria, 'executions.get', { id: old.id }))
  expect(execution).toMatchObject({
    status: 'failed',
    input: {},
    error: null,
    erased: [{ by: null, erasureId: null, at: expect.any(String) }],
  })
  const approval = payload(await api.query(maria, 'approvals.get', { approvalId: old.approvalId }))
  expect(approval).toMatchObject({ status: 'approved', erased: [{ by: null }] })
  expect((await api.query(maria, 'approvals.list', { limit: 100 })).status).toBe(200)
  const { rows: decisions } = await owner.query<{ id: string }>(
    'select id from policy_decisions where execution_id = $1 limit 1',
    [old.id],
  )
  const again = await api.query(maria, 'policies.recompute', { decisionId: decisions[0]?.id })
  expect([again.status, reason(again)]).toEqual([409, 'conflict'])
  const file = await api.request(maria, `/v1/files/${fileId}`)
  expect(file.status).toBe(409)
  const { rows } = await owner.query<{ id: string; record: { details: { ids: string[] } } }>(
    `select resource_id as id, record from audit_records where type = 'content.expired' and tenant_id = $1`,
    [tenantId],
  )
  const listed = rows.filter(({ id }) => id === 'executions').flatMap(({ record }) => record.details.ids)
  expect(listed).toContain(old.id)
  // Each row is recorded once, although three runs processed it.
  expect(new Set(listed).size).toBe(listed.length)
})

test('a repeated request is not executed again after the response for its key was deleted', async () => {
  const { rows } = await owner.query<{ count: string }>('select count(*) from policy_decisions where tenant_id = $1', [
    tenantId,
  ])
  const { rows: agents } = await owner.query<{ id: string }>(`select id from agents where name = 'canaries'`)
  const call = {
    agentId: agents[0]?.id,
    environment: 'production',
    resource: 'hostile/echo',
    arguments: { value: content, customer: { email: canaries.sensitive } },
  }
  const answer = await api.mutate(await api.client('ci-pipeline'), 'policies.evaluate', call, {
    'idempotency-key': `${content} evaluates`,
  })
  expect([answer.status, reason(answer)]).toEqual([409, 'conflict'])
  const after = await owner.query('select count(*) from policy_decisions where tenant_id = $1', [tenantId])
  expect(after.rows).toEqual(rows)
})
