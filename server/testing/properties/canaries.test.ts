import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { collectCatalog } from '#server/catalog.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { readTables, tablesWith } from '#server/testing/clear-text.ts'
import { extractArchive, readPayload } from '#server/testing/extract.ts'
import { type ModelServer, startModelServer } from '#server/testing/fakes/model-server.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { until } from '#server/testing/until.ts'
import { readAnswer } from './call.ts'
import { askAsExternalAgent, type Canaries, runChat, runSteps, stepsAgent } from './canary-agents.ts'

// Personal data enters by every route, and the tests search for it in every table, every response and the log.

const canaries: Canaries = { content: 'kanarienvogel', sensitive: 'geheimvogel-7@mail.example' }
const { content } = canaries
const sensitive = 'geheimvogel'
/** A text in the fields that docs/privacy.md lists as unencrypted, which shows that the search finds texts. */
const clear = 'klarvogel'

let api: TestApi
let model: ModelServer
let smtp: TestSmtp
let steps: Awaited<ReturnType<typeof runSteps>>
let chat: Awaited<ReturnType<typeof runChat>>
const telemetry = { traceId: newTraceId(), spanId: newSpanId() }

beforeAll(async () => {
  model = await startModelServer()
  smtp = await startSmtp()
  api = await startApi(
    { LOG_LEVEL: 'trace', SMTP_URL: smtp.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1' },
    { hostile: [join(import.meta.dirname, '../fakes/hostile-tools.ts')] },
  )
  const agentId = await stepsAgent(api)
  steps = await runSteps(api, agentId, canaries)
  const grant = {
    approvalId: steps.approvalId,
    terms: { uses: 5, until: new Date(Date.now() + 86_400_000).toISOString() },
    reason: 'The same each week.',
  }
  payload(await api.mutate(await api.person('anna'), 'approvals.proposeGrant', grant))
  chat = await runChat(api, model, canaries)
  await askAsExternalAgent(api, agentId, canaries)
  await sendTelemetry()
  const ci = await api.client('ci-pipeline')
  const file = await api.request(ci, `/v1/files?name=${content}-${canaries.sensitive}.txt`, {
    method: 'POST',
    body: 'A file.',
  })
  expect(file.status, file.text).toBe(201)
  const secret = { name: 'canary-key', value: `${content} ${sensitive}` }
  payload(await api.mutate(await api.person('tom'), 'secrets.create', secret))
  const hold = { from: '2020-01-01', to: '2020-01-02', reason: `The case of ${clear}` }
  payload(await api.mutate(await api.person('vera'), 'holds.create', hold))
}, 120_000)
afterAll(async () => {
  await api.close()
  await model.close()
  await smtp.close()
})

async function sendTelemetry(): Promise<void> {
  const span = {
    ...telemetry,
    name: `chat with ${canaries.sensitive}`,
    status: { code: 2, message: `${content} ${sensitive} failed` },
    attributes: [
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.input.messages', `${content} ${sensitive} asks`],
      ['gen_ai.tool.call.result', [`${content} ${sensitive}`]],
      ['customer_name', `${content} ${sensitive}`],
    ] satisfies [string, string | string[]][],
    events: [
      {
        name: 'gen_ai.content.prompt',
        attributes: [['gen_ai.prompt', `${content} ${sensitive}`]] as [string, string][],
      },
    ],
    links: [
      {
        traceId: newTraceId(),
        spanId: newSpanId(),
        attributes: [['user.id', `${content} ${sensitive}`]] as [string, string][],
      },
    ],
  }
  const answer = await api.request(await api.client('telemetry'), '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson(
      [span],
      [
        ['service.name', 'elsewhere'],
        ['user.name', `${content} ${sensitive}`],
      ],
    ),
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
}

test('the canaries reached the tool, the model, the approver and the waiting step', async () => {
  expect(steps).toMatchObject({ status: 'failed' })
  expect(steps.error?.message).toContain(content)
  expect(chat).toMatchObject({ status: 'succeeded' })
  const asked = JSON.stringify(model.requests)
  expect(asked).toContain(content)
  expect(asked).toContain(sensitive)
  await until(
    async () => (smtp.received.some(({ text }) => text.includes(`/approvals/${steps.approvalId}`)) ? true : undefined),
    'the approvers were written to',
  )
})

test('no table contains them unencrypted, except the documented ones', async () => {
  const tables = await readTables(api.ownerUrl)
  expect(tables.size).toBeGreaterThan(40)
  expect([...tables.keys()].filter((name) => name.startsWith('pgboss.')).length).toBeGreaterThan(3)
  // The search finds texts that exist.
  expect(tablesWith(tables, clear)).toEqual(['public.audit_records', 'public.legal_holds'])
  expect(tablesWith(tables, steps.id)).toContain('public.executions')
  expect([tablesWith(tables, content), tablesWith(tables, sensitive)]).toEqual([[], []])
})

type Entry = ReturnType<typeof collectCatalog>[number]
const reads = collectCatalog().filter(({ method }) => method === 'GET')
const people = ['maria', 'omar', 'vera', 'tom', 'pia'] as const

describe('no response contains sensitive data, for any caller', () => {
  let ids: Awaited<ReturnType<typeof namesOf>>
  const answered = new Set<string>()
  beforeAll(async () => {
    const vera = await api.person('vera')
    const period = {
      startDate: new Date(Date.now() - 86_400_000).toISOString(),
      endDate: new Date(Date.now() + 86_400_000).toISOString(),
      includeProofs: true,
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(period) }
    const made = await api.request(vera, '/v1/evidence/export-jobs', init)
    const { exportId } = made.body as { exportId: string }
    await until(async () => {
      const job = await api.request(vera, `/v1/evidence/factory/jobs/${exportId}`)
      return job.text.includes('"completed') ? true : undefined
    }, 'the export is complete')
    ids = await namesOf(api, exportId)
  }, 60_000)

  test.each(reads.map((entry) => [entry.path, entry] as const))(
    '%s',
    async (path, entry) => {
      for (const input of inputsFor(entry, ids))
        for (const person of people) {
          const answer = await ask(entry, input, await api.person(person))
          expect(answer.status, answer.text).toBeLessThan(500)
          expect({ person, input, found: around(answer.text) }).toEqual({ person, input, found: [] })
          if (answer.status === 200) answered.add(path)
        }
    },
    60_000,
  )

  test('an archive without raw payloads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'canaries-'))
    try {
      const headers = { authorization: `Bearer ${await api.person('vera')}` }
      const exportId = String(ids.get('evidence.download')?.[0]?.exportId)
      const path = `/v1/evidence/factory/jobs/${exportId}/download`
      const zip = await fetch(new URL(path, api.baseUrl), { headers })
      const files = await readPayload(await extractArchive(Buffer.from(await zip.arrayBuffer()), folder))
      expect(files.get('execution-events.ndjson')).toContain(steps.id)
      for (const [name, text] of files)
        expect([name, [content, sensitive].filter((word) => text.toLowerCase().includes(word))]).toEqual([name, []])
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 60_000)

  test('each read was answered', () => {
    expect(reads.map(({ path }) => path).filter((path) => !answered.has(path))).toEqual([])
  })

  test('content that is not sensitive is shown', async () => {
    const answer = await ask(entryOf('executions.get'), { id: steps.id }, await api.person('maria'))
    expect(answer.text).toContain(content)
    const listed = await ask(entryOf('executions.list'), { q: steps.id }, await api.person('maria'))
    expect(listed.text).toContain(`Issue refund for ${content}`)
    expect(listed.text).toContain('"path":"customer.email","masked"')
  })
})

/** Returns the text around each match, short enough to read. */
const around = (text: string) => text.match(new RegExp(`.{0,120}${sensitive}.{0,20}`, 'g')) ?? []

const entryOf = (name: string): Entry => {
  const found = reads.find((entry) => entry.name === name)
  if (found === undefined) throw new Error(`Unknown operation: ${name}.`)
  return found
}

async function ask(entry: Entry, input: Record<string, unknown>, token: string) {
  const rest = new Map(Object.entries(input))
  const path = entry.path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return value
  })
  const query =
    entry.transport === 'procedure'
      ? `input=${encodeURIComponent(JSON.stringify({ json: input }))}`
      : new URLSearchParams([...rest].map(([key, value]) => [key, String(value)])).toString()
  return await readAnswer(
    await fetch(new URL(`${path}?${query}`, api.baseUrl), { headers: { authorization: `Bearer ${token}` } }),
  )
}

/** Returns the names for operations that require one: all objects that the canaries have created. */
async function namesOf({ ownerUrl }: TestApi, exportId: string) {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  const all = async <T extends object>(statement: string, values: unknown[] = []) =>
    (await owner.query<T>(statement, values)).rows
  const named = async (column: string, table: string) =>
    await all<Record<string, string>>(
      `select ${column} from ${table} where tenant_id = (select id from tenants where slug = 'northwind')
       order by ${column} desc limit 6`,
    )
  const as = (rows: readonly Record<string, string>[], key: string) =>
    rows.map((row) => ({ [key]: Object.values(row)[0] }))
  const id = async (table: string, key = 'id') => as(await named('id', table), key)
  try {
    const traceIds = [steps.traceId, chat.traceId, telemetry.traceId]
    const spans = await all<{ traceId: string; spanId: string }>(
      `select trace_id as "traceId", span_id as "spanId" from spans where trace_id = any($1)`,
      [traceIds],
    )
    const traces = traceIds.map((traceId) => ({ traceId }))
    const [agents, policies, approvals] = [
      await id('agents'),
      await id('policies'),
      await id('approvals', 'approvalId'),
    ]
    const audits = as(await named('audit_id', 'audit_records'), 'auditId')
    const policyIds = policies.map((row) => ({ policyId: row.id }))
    const simulation = {
      version: 1,
      environment: 'production',
      from: '2026-01-01T00:00:00.000Z',
      to: '2999-01-01T00:00:00.000Z',
    }
    const inClear = { includeSensitiveData: true }
    const exported = [{ exportId }]
    const lastEventId = `${new Date().toISOString().slice(0, 10)}.0.0`
    return new Map<string, Record<string, unknown>[]>([
      ['agents.activity', agents.map(({ id }) => ({ agentIds: [id] }))],
      ['agents.check', [{ yaml: 'metadata: {}' }]],
      ['agents.compare', agents.map((one) => ({ ...one, from: '1.0.0', to: '1.0.0' }))],
      ['agents.get', agents],
      ['agents.versions', agents],
      ['approvals.get', approvals],
      ['approvals.history', approvals],
      ['approvals.listGrantUses', await id('standing_grants', 'grantId')],
      ['approvals.mails.list', approvals],
      ['approvals.usualAmounts', approvals.map(({ approvalId }) => ({ approvalIds: [approvalId] }))],
      ['approvals.previewGrant', approvals],
      ['approvals.watch', approvals.slice(0, 2)],
      [
        'search.find',
        [...agents, ...policies].map(({ id: q }) => ({ q })).concat(approvals.map(({ approvalId: q }) => ({ q }))),
      ],
      [
        'search.names',
        [
          {
            objects: [
              ...agents.map((one) => ({ type: 'agent', ...one })),
              ...policies.map((one) => ({ type: 'policy', ...one })),
              ...approvals.map(({ approvalId }) => ({ type: 'approval', id: approvalId })),
            ].slice(0, 200),
          },
        ],
      ],
      ['savedViews.list', [{ list: 'approvals' }]],
      ['audit.get', audits],
      ['audit.list', [{ limit: 100 }]],
      ['audit.file', [{ format: 'ndjson' }, { format: 'csv' }]],
      // From the start of the day, so that its changes are sent again. Topic by topic, because each requires a permission.
      ['changes.stream', ['approvals', 'executions', 'agents'].map((topic) => ({ topics: [topic], lastEventId }))],
      ['evidence.download', exported],
      [
        'evidence.estimateExport',
        [{ startDate: new Date(Date.now() - 86_400_000).toISOString(), endDate: new Date().toISOString() }],
      ],
      ['evidence.getExport', exported],
      ['evidence.getManifest', exported],
      ['executions.get', [steps, chat].map((one) => ({ id: one.id }))],
      ['executions.getEvents', [steps, chat].map((one) => ({ id: one.id }))],
      ['executions.inputEvents.get', await id('input_events', 'receiptId')],
      ['files.download', await id('files')],
      ['log.get', [{ path: `t/org-northwind-mutual/audit/${new Date().toISOString().slice(0, 10)}/checkpoint` }]],
      ['policies.budgets', policyIds],
      ['policies.check', [{ source: 'permit (principal, action, resource);' }]],
      ['policies.get', policies],
      ['policies.preview', [{ source: 'permit (principal, action, resource);' }]],
      ['policies.rules', policyIds.map((one) => ({ ...one, version: 1 }))],
      ['policies.recompute', await id('policy_decisions', 'decisionId')],
      ['policies.simulate', policyIds.map((one) => ({ ...one, ...simulation }))],
      ['policyVersions.list', policyIds],
      ['releases.get', await id('releases')],
      ['secrets.get', await id('secrets')],
      ['traces.getSpan', spans.map((span) => ({ ...span, ...inClear }))],
      ['traces.getSpanProof', [telemetry]],
      ['traces.getTrace', traces.map((one) => ({ ...one, ...inClear }))],
      ['traces.stream', traces],
      ['traces.verify', audits.slice(0, 2).map((one) => ({ ...one, tenant: 'org-northwind-mutual' }))],
    ])
  } finally {
    await owner.end()
  }
}

function inputsFor({ name, operation }: Entry, ids: ReadonlyMap<string, Record<string, unknown>[]>) {
  const described: { required?: string[] } = JSON.parse(
    JSON.stringify(z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })),
  )
  const known = ids.get(name)
  if (known === undefined && (described.required ?? []).length > 0)
    throw new Error(`Add the names for ${name} to namesOf(): it requires ${described.required?.join()}.`)
  if (known?.length === 0) throw new Error(`No object exists for ${name}.`)
  return known ?? [{}]
}

describe('with permission and a justification, sensitive data is shown', () => {
  const justification = { 'x-svc-justification': 'A customer asked what the agent was told about them.' }
  test.each([
    ['a trace of steps', () => steps.traceId],
    ['a conversation', () => chat.traceId],
    ['telemetry', () => telemetry.traceId],
  ])('%s', async (_case, traceId) => {
    const input = { traceId: traceId(), includeSensitiveData: true }
    const shown = await api.query(await api.person('pia'), 'traces.getTrace', input, justification)
    expect(shown.text).toContain(sensitive)
  })
})

test('no line of the log contains them', () => {
  expect(api.logged()).toContain('"level":')
  expect(api.logged()).not.toContain(content)
  expect(api.logged()).not.toContain(sensitive)
})
