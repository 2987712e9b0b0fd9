// Longer than other files: one history, which is written before the erasure and searched after it.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { contentWith } from '#server/testing/content.ts'
import { erasureSearched, getErasure, requestErasure } from '#server/testing/erasures.ts'
import { type ExecutionAnswer, executionsOf } from '#server/testing/executions.ts'
import { parseLines } from '#server/testing/exports.ts'
import { extractArchive } from '#server/testing/extract.ts'
import { type ModelServer, startModelServer } from '#server/testing/fakes/model-server.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'
import { askAsExternalAgent, type Canaries, runChat, runSteps, stepsAgent } from './canary-agents.ts'

// A person's data enters by every route and is erased everywhere, except content in progress and content on hold.

const canaries: Canaries = { content: 'kanarienvogel', sensitive: 'kanarienvogel-7@mail.example' }
const { content } = canaries
/** The search ignores case. */
const subject = 'Kanarienvogel'

let api: TestApi
let model: ModelServer
let smtp: TestSmtp
let owner: Client
let steps: Awaited<ReturnType<typeof runSteps>>
let waiting: string
let held: ExecutionAnswer
let fileId: string
let before: Map<string, string[]>
let erasureId: string

beforeAll(async () => {
  model = await startModelServer()
  smtp = await startSmtp()
  api = await startApi(
    { SMTP_URL: smtp.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    { hostile: [join(import.meta.dirname, '../fakes/hostile-tools.ts')] },
  )
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const agentId = await stepsAgent(api)
  steps = await runSteps(api, agentId, canaries)
  await runChat(api, model, canaries)
  await askAsExternalAgent(api, agentId, canaries)
  const waiter = await releaseAgent(api, 'asks-by-mail', {
    steps: [{ id: 'ok', wait: { input: 'answer' } }],
    tools: { payments: ['lookup_order'] },
    more: { inputs: [{ name: 'answer' }] },
  })
  const executions = executionsOf(api)
  waiting = await executions.start(waiter, { note: content })
  await until(async () => ((await executions.get(waiting)).status === 'waiting_input' ? true : undefined), 'it waits')
  const lookup = await releaseAgent(api, 'held', {
    steps: [{ id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1001' } } }],
    tools: { payments: ['lookup_order'] },
  })
  held = await executions.run(lookup, { note: content })
  const hold = { traceId: held.traceId, reason: 'Case 17.' }
  payload(await api.mutate(await api.person('vera'), 'holds.create', hold))
  const stored = await api.request(await api.client('ci-pipeline'), '/v1/files?name=letter.txt', {
    method: 'POST',
    body: `Dear ${content},`,
  })
  fileId = (stored.body as { id: string }).id
  // Content of mails that are being sent is not erased yet, so wait until they are sent.
  await until(async () => {
    const { rowCount } = await owner.query(`select 1 from mails where delivery in ('pending', 'in_flight')`)
    return rowCount === 0 ? true : undefined
  }, 'all mails are sent')
  before = await contentWith(api, content)
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
  await model.close()
  await smtp.close()
})

const ids = (found: ReadonlyMap<string, string[]>) =>
  [...new Set([...found.values()].flat().map((key) => key.split(' ')[0]))].sort()
const erasure = () => getErasure(api, erasureId)
const contentFile = async () => {
  const { rows } = await owner.query<{ tenant_id: string; sha256: string }>(
    'select tenant_id, sha256 from files where id = $1',
    [fileId],
  )
  const { tenant_id: tenantId = '', sha256 = '' } = rows[0] ?? {}
  return join(dirname(api.gate), 'data', 'files', tenantId, sha256.slice(0, 2), sha256)
}
/** Makes delayed jobs of the erasure run now. */
const hurry = () =>
  owner.query(
    `update pgboss.job set start_after = now() where name = 'subject-erasure' and state in ('created', 'retry')`,
  )

test('the canaries are in every kind of content', async () => {
  expect([...before.keys()].sort()).toEqual([
    'approvals.payload',
    'approvals.presentation',
    'execution_events.data',
    'execution_steps.arguments',
    'execution_steps.output',
    'executions.error',
    'executions.input',
    'executions.output',
    'idempotency_keys.response',
    'input_events.attributes',
    'input_events.data',
    'mails.message',
    'policy_decisions.request',
  ])
  expect(existsSync(await contentFile())).toBe(true)
})

test('everything is erased except content in progress, open or held, even when the process is killed', async () => {
  erasureId = await requestErasure(api, subject)
  await api.killAndRestart()
  const pending = await erasureSearched(api, erasureId)
  expect(pending).toMatchObject({ status: 'pending', heldSpans: expect.any(Number), heldRecords: expect.any(Number) })
  expect(pending.waitsFor).toContain(waiting)
  expect(pending.waitsForObjects).toContainEqual({ of: waiting, type: 'execution', id: waiting })
  expect(pending.records).toBeGreaterThan(10)
  expect(pending.heldRecords).toBeGreaterThan(0)
  const left = await contentWith(api, content)
  const { rows: open } = await owner.query<{ id: string; decision: string }>(
    `select id, decision_id as decision from approvals where status = 'pending' and kind = 'external_call'`,
  )
  expect(open).toHaveLength(1)
  expect(ids(left)).toEqual([waiting, held.id, open[0]?.id, open[0]?.decision].sort())
  expect(ids(before).length).toBeGreaterThan(ids(left).length)
  expect(existsSync(await contentFile())).toBe(false)
}, 90_000)

test('content in progress is erased after it has ended, which completes the erasure', async () => {
  const maria = await api.person('maria')
  const { revision } = payload<{ revision: number }>(await api.query(maria, 'executions.get', { id: waiting }))
  const cancel = { id: waiting, expectedRevision: revision, reason: 'No longer needed.' }
  payload(await api.mutate(await api.person('omar'), 'executions.cancel', cancel))
  const { rows } = await owner.query<{ id: string }>(
    `select id from approvals where status = 'pending' and kind = 'external_call'`,
  )
  payload(
    await api.mutate(await api.client('ci-pipeline'), 'approvals.cancel', {
      approvalId: rows[0]?.id,
      reason: 'No longer needed.',
    }),
  )
  const done = await until(
    async () => {
      await hurry()
      const found = await erasure()
      return found.status === 'completed_with_omissions' ? found : undefined
    },
    'the erasure is complete',
    60_000,
  )
  expect(done.waitsFor).toEqual([])
  expect(ids(await contentWith(api, content))).toEqual([held.id])
  const { rows: subjects } = await owner.query('select subject from erasures where id = $1', [erasureId])
  expect(subjects).toEqual([{ subject: null }])
}, 90_000)

describe('after the erasure', () => {
  const told = { erasureId: expect.any(String), at: expect.any(String), by: { username: 'pia' } }

  test('an execution shows what was erased, when and by whom, and keeps the rest', async () => {
    const maria = await api.person('maria')
    const answer = await api.query(maria, 'executions.get', { id: steps.id })
    expect(answer.text).not.toContain(content)
    expect(payload(answer)).toMatchObject({
      status: 'failed',
      input: { customer: { email: '[erased]' }, note: '[erased]' },
      error: { message: '[erased]' },
      erased: [told],
    })
    const listed = await api.query(maria, 'executions.list', { q: steps.id })
    expect(listed.text).not.toContain(content)
    expect(payload(listed)).toMatchObject({ items: [{ id: steps.id, effect: null, inputShown: [] }] })
    const events = await api.query(maria, 'executions.getEvents', { id: steps.id })
    expect(events.text).not.toContain(content)
    const untouched = payload(await api.query(maria, 'executions.get', { id: held.id }))
    expect(untouched).toMatchObject({ erased: [], input: { note: content } })
  })

  test('an approval and an event show the erasure, too', async () => {
    const approval = await api.query(await api.person('jonas'), 'approvals.get', { approvalId: steps.approvalId })
    expect(approval.text).not.toContain(content)
    expect(payload(approval)).toMatchObject({
      status: 'approved',
      title: 'A request whose title was erased',
      erased: [told],
    })
    const omar = await api.person('omar')
    const list = await api.query(omar, 'executions.inputEvents.list', { executionId: steps.id })
    expect(list.text).not.toContain(content)
    const [first] = payload<{ items: { receiptId: string }[] }>(list).items
    const event = await api.query(omar, 'executions.inputEvents.get', { receiptId: first?.receiptId })
    expect(payload(event)).toMatchObject({ erased: [told], application: { status: 'applied' } })
  })

  test('a trace shows the erasure to a reader with permission, too', async () => {
    const justification = { 'x-svc-justification': 'The property test reads the remaining values.' }
    const input = { traceId: steps.traceId, includeSensitiveData: true }
    const trace = await api.query(await api.person('pia'), 'traces.getTrace', input, justification)
    expect(trace.text).not.toContain(content)
    expect(payload(trace)).toMatchObject({ erased: [told] })
  })

  test('a decision can’t be recomputed, and a file can’t be read', async () => {
    const { rows } = await owner.query<{ id: string }>(
      'select id from policy_decisions where execution_id = $1 limit 1',
      [steps.id],
    )
    const again = await api.query(await api.person('vera'), 'policies.recompute', { decisionId: rows[0]?.id })
    expect([again.status, reason(again)]).toEqual([409, 'conflict'])
    const file = await api.request(await api.person('maria'), `/v1/files/${fileId}`)
    expect([file.status, JSON.stringify(file.body)]).toEqual([409, expect.stringContaining('erased')])
  })

  test('a repeated event is recognised by its key after its content was erased', async () => {
    const answer = await api.request(await api.client('ci-pipeline'), '/v1/input-events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${content} ${canaries.sensitive} key` },
      body: JSON.stringify({ correlation: { executionId: steps.id, input: 'plain' }, data: null }),
    })
    expect([answer.status, answer.body]).toMatchObject([202, { result: 'duplicate' }])
  })
})

test('the log verifies, doesn’t name the subject, and records the erasure of each table', async () => {
  const vera = await api.person('vera')
  const { rows } = await owner.query<{ audit_id: string; type: string; record: object }>(
    `select audit_id, type, record from audit_records where resource_id = $1 order by date, seq`,
    [erasureId],
  )
  expect([rows[0]?.type, rows.at(-1)?.type]).toEqual(['erasure.requested', 'erasure.completed'])
  const tables = rows.flatMap(({ record }) => {
    const { table } = (record as { details?: { table?: string } }).details ?? {}
    return table === undefined ? [] : [table]
  })
  expect(new Set(tables)).toEqual(
    new Set([...new Set([...before.keys()].map((name) => name.split('.')[0])), 'spans', 'files']),
  )
  expect(JSON.stringify(rows).toLowerCase()).not.toContain(content)
  const auditId = rows[0]?.audit_id
  const record = payload<{ proof: object }>(await api.query(vera, 'audit.get', { auditId }))
  expect(JSON.stringify(record)).toContain('erasure.requested')
})

test('a later archive is complete, and states what was erased', async () => {
  const vera = await api.person('vera')
  const json = { 'content-type': 'application/json' }
  const period = {
    startDate: new Date(Date.now() - 86_400_000).toISOString(),
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    includeProofs: true,
  }
  const made = await api.request(vera, '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(period),
  })
  const { exportId } = made.body as { exportId: string }
  const job = await until(
    async () => {
      const { body } = await api.request(vera, `/v1/evidence/factory/jobs/${exportId}`)
      return JSON.stringify(body).includes('"completed') ? (body as { status: string }) : undefined
    },
    'the export is complete',
    60_000,
  )
  expect(job.status).toBe('completed_with_omissions')
  const headers = { authorization: `Bearer ${vera}` }
  const zip = await fetch(new URL(`/v1/evidence/factory/jobs/${exportId}/download`, api.baseUrl), { headers })
  const folder = await mkdtemp(join(tmpdir(), 'erasure-'))
  try {
    const top = await extractArchive(Buffer.from(await zip.arrayBuffer()), folder)
    const omissions = parseLines(await readFile(join(top, 'data/omissions.ndjson'), 'utf8'))
    expect(omissions).toContainEqual({ resource: 'executions', id: steps.id, reason: 'erased' })
    expect(omissions).toContainEqual({ resource: 'approvals', id: steps.approvalId, reason: 'erased' })
    const gone = omissions.filter(({ reason }: { reason: string }) => reason !== 'masked')
    expect(new Set(gone.map((one: { resource: string }) => one.resource))).toEqual(
      new Set(['executions', 'approvals', 'decisions', 'input-events', 'files', 'spans']),
    )
    const executions = parseLines(await readFile(join(top, 'data/executions.ndjson'), 'utf8'))
    const row = (id: string) => executions.find((one: { id: string }) => one.id === id)
    const commitment = expect.stringMatching(/^[\w-]{43}$/)
    expect(row(steps.id)).toMatchObject({ input: commitment, contentGone: 'erased' })
    expect(row(held.id)).toMatchObject({ input: commitment, contentGone: null })
  } finally {
    await rm(folder, { recursive: true })
  }
}, 90_000)
