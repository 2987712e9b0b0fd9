// Longer than other files: one server and one released agent serve every case.
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boundText } from '#lib/bound-digest.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { patiently, payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import {
  approve,
  bindingFor,
  refundManifest,
  registerRefundAgent,
  releaseRefundAgent,
} from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// The complete scenario over HTTP by ci-pipeline, maria and jonas, with a real MCP server and kill -9 of a real process.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

type Execution = {
  id: string
  status: string
  traceId: string
  revision: number
  steps: { id: string; status: string; approvalId: string | null }[]
  error: { code: string } | null
}

const get = async (id: string) =>
  payload<Execution>(await api.query(await api.person('maria'), 'executions.get', { id }))
const reaches = (id: string, status: string, timeoutMs?: number) =>
  until(async () => ((await get(id)).status === status ? await get(id) : undefined), `${id} ${status}`, timeoutMs)
const start = async (agentId: string, orderId: string) =>
  payload<{ executionId: string }>(
    await api.mutate(await api.person('maria'), 'executions.execute', {
      agentId,
      environment: 'production',
      input: { orderId },
    }),
  ).executionId
const calls = async (event: string, key: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith(`${event} `) && line.endsWith(key))
const waitingApproval = async (executionId: string) => {
  const { steps } = await reaches(executionId, 'waiting_approval')
  return steps.find((step) => step.id === 'refund')?.approvalId ?? ''
}

describe('from manifest to release', () => {
  test('an agent runs only after its binding and release are approved, and maria cannot approve her own', async () => {
    const ci = await api.client('ci-pipeline')
    const maria = await api.person('maria')
    const agentId = await registerRefundAgent(api, 'refund-governed')
    const run = () =>
      api.mutate(maria, 'executions.execute', { agentId, environment: 'production', input: { orderId: 'A-1002' } })

    const ungoverned = await run()
    expect([ungoverned.status, reason(ungoverned)]).toEqual([409, 'policy_binding_required'])
    const binding = payload<{ approvalId: string }>(
      await api.mutate(ci, 'policyBindings.propose', await bindingFor(api, agentId, 'refund-governed')),
    )
    const decision = {
      approvalId: binding.approvalId,
      decision: 'approve',
      decisionAcknowledged: true,
      reason: 'Mine.',
    }
    const own = await api.mutate(maria, 'approvals.decide', decision)
    expect([own.status, reason(own)]).toEqual([403, 'separation_of_duties'])
    expect(own.text).toContain('You own the agent')
    await approve(api, binding.approvalId)

    const unreleased = await run()
    expect([unreleased.status, reason(unreleased)]).toEqual([409, 'release_required'])
    const release = payload<{ approvalId: string }>(
      await api.mutate(ci, 'releases.propose', { agentId, version: '1.4.0', environment: 'production' }),
    )
    expect(reason(await api.mutate(maria, 'approvals.decide', { ...decision, approvalId: release.approvalId }))).toBe(
      'separation_of_duties',
    )
    expect((await api.mutate(ci, 'approvals.decide', { ...decision, approvalId: release.approvalId })).status).toBe(403)
    await approve(api, release.approvalId)
    expect((await run()).status).toBe(200)
  })

  test('the same manifest gives the same version, and different content under a version is rejected', async () => {
    const ci = await api.client('ci-pipeline')
    const first = await api.mutate(ci, 'agents.create', { yaml: await refundManifest('refund-versions') })
    const bare = await api.request(ci, '/v1/agents.create', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ yaml: await refundManifest('refund-versions') }),
    })
    expect(payload(bare)).toEqual(payload(first))
    const other = (await refundManifest('refund-versions')).replace('within policy', 'quickly')
    expect(reason(await api.mutate(ci, 'agents.create', { yaml: other }))).toBe('version_conflict')
  })

  test.each([
    ['not YAML', 'a: [1', 1, 6],
    ['duplicate key', 'name: a\nname: b', 2, 1],
    ['not a mapping', '- 1', 1, 1],
    ['name missing', 'kind: Agent', 1, 1],
  ])('an invalid manifest is 400 with line and column: %s', async (_case, yaml, line, column) => {
    const answer = await api.mutate(await api.client('ci-pipeline'), 'agents.create', { yaml })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: { json: { data: { reason: 'invalid_manifest', issues: [{ line, column }] } } },
    })
  })

  test('an owner who is not a member is rejected', async () => {
    const yaml = (await refundManifest('refund-owner')).replace('maria@northwind.example', 'unknown@northwind.example')
    const answer = await api.mutate(await api.client('ci-pipeline'), 'agents.create', { yaml })
    expect([answer.status, reason(answer)]).toEqual([400, 'invalid_manifest'])
  })
})

describe('a refund', () => {
  test('is listed by status and agent, and in the audit log by its id', async () => {
    const agentId = await releaseRefundAgent(api, 'refund-found')
    const waiting = await start(agentId, 'A-1001')
    await waitingApproval(waiting)
    const rejected = await start(agentId, 'A-1002')
    const decision = { decision: 'reject', decisionAcknowledged: true, reason: 'Not this one.' }
    const approvalId = await waitingApproval(rejected)
    payload(await api.mutate(await api.person('jonas'), 'approvals.decide', { approvalId, ...decision }))
    const { steps } = await reaches(rejected, 'rejected')
    expect(steps.find((step) => step.approvalId === approvalId)?.status).toBe('skipped')
    const maria = await api.person('maria')
    const listed = async (filter: object) =>
      payload<{ items: { id: string }[] }>(await api.query(maria, 'executions.list', { agentId, ...filter })).items.map(
        ({ id }) => id,
      )
    expect(await listed({})).toEqual([rejected, waiting])
    expect(await listed({ status: ['rejected'] })).toEqual([rejected])
    expect(await listed({ status: ['waiting_approval', 'rejected'], limit: 1 })).toEqual([rejected])
    expect(await listed({ status: ['waiting_approval', 'rejected'], cursor: rejected })).toEqual([waiting])
    expect(await listed({ status: ['succeeded'] })).toEqual([])
    expect((await api.query(maria, 'executions.list', { status: [] })).status).toBe(400)

    const records = payload<{ items: { type: string; resource: { id: string } }[] }>(
      await api.query(await api.person('vera'), 'audit.list', { resourceId: rejected }),
    ).items
    expect(records.map(({ type }) => type)).toContain('execution.rejected')
    expect(new Set(records.map(({ resource }) => resource.id))).toEqual(new Set([rejected]))
  })

  test('waits for a reviewer and runs once, with exactly the approved bytes', async () => {
    const agentId = await releaseRefundAgent(api, 'refund-once')
    const id = await start(agentId, 'A-1001')
    const approvalId = await waitingApproval(id)
    const jonas = await api.person('jonas')
    const shown = payload<{
      payloadDigest: string
      contentDigest: string
      presentation: Presentation
      blocked: unknown
    }>(await api.query(jonas, 'approvals.get', { approvalId }))
    expect(shown.presentation.title).toBe('Issue refund of €4,200.00 for A-1001')
    expect(shown.presentation.policy?.words).toBe('It applies to calls of payments/issue_refund.')
    expect(shown).toMatchObject({
      amount: { value: '4200.00', currency: 'EUR' },
      facts: shown.presentation.card?.facts,
    })
    expect(shown.presentation.card).toEqual({
      title: 'Order A-1001 of Elif Aydin',
      facts: [
        { label: 'Customer', value: 'Elif Aydin (C-20418)', from: ['order'] },
        { label: 'E-mail', value: null, masked: { class: 'pii.email', length: 23 }, from: ['order'] },
        { label: 'Order amount', value: '4200.00 EUR', from: ['order'] },
        { label: 'Order status', value: 'delivered', from: ['order'] },
      ],
      links: [],
    })
    expect(shown.blocked).toBeNull()
    expect(payload(await api.query(await api.person('maria'), 'approvals.get', { approvalId }))).toMatchObject({
      eligible: false,
      blocked: { code: 'separation_of_duties' },
    })
    const decision = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Checked.' }
    const wrong = await api.mutate(jonas, 'approvals.decide', {
      ...decision,
      payloadDigest: `sha256:${'0'.repeat(64)}`,
    })
    expect(reason(wrong)).toBe('digest_mismatch')
    expect(await calls('called', `${id}:refund`)).toEqual([])

    payload(await api.mutate(jonas, 'approvals.decide', { ...decision, payloadDigest: shown.payloadDigest }))
    await reaches(id, 'succeeded')
    expect(await calls('paid', `${id}:refund`)).toHaveLength(1)
    // Seen, decided and run: the page recomputes the digest that was decided, and the tool got the arguments that it shows.
    expect(sha256(boundText(shown.contentDigest, shown.presentation))).toBe(shown.payloadDigest)
    const seen = Object.fromEntries(shown.presentation.arguments.map(({ path, value = null }) => [path, value]))
    const got = sha256(canonicalJson(seen)).replace('sha256:', '')
    const log = (await readFile(join(api.gate, 'got.log'), 'utf8')).split('\n')
    expect(log.filter((line) => line.endsWith(` ${id}:refund`))).toEqual([`${got} issue_refund ${id}:refund`])
    const again = await api.mutate(jonas, 'approvals.decide', decision)
    expect([again.status, reason(again)]).toEqual([409, 'already_decided'])

    const events = payload<{ items: { seq: number; type: string }[] }>(
      await api.query(jonas, 'executions.getEvents', { id }),
    )
    expect(events.items.map((event) => event.seq)).toEqual(events.items.map((_event, index) => index + 1))
    expect(events.items.map((event) => event.type)).toEqual([
      'execution.running',
      'policy.decided',
      'tool.called',
      'tool.returned',
      'step.skipped',
      'policy.decided',
      'approval.requested',
      'approval.decided',
      'policy.decided',
      'tool.called',
      'tool.returned',
      'execution.succeeded',
    ])
  })

  test('does not run when a reviewer rejects it', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-rejected'), 'A-1003')
    const approvalId = await waitingApproval(id)
    const input = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'No receipt.' }
    payload(await api.mutate(await api.person('anna'), 'approvals.decide', input))
    expect((await reaches(id, 'rejected')).error?.code).toBe('approval_rejected')
    expect(await calls('called', `${id}:refund`)).toEqual([])
  })

  test('accepts one of twenty concurrent decisions', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-race'), 'A-1002')
    const approvalId = await waitingApproval(id)
    const tokens = [await api.person('jonas'), await api.person('anna')]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        patiently(() =>
          api.mutate(tokens[index % 2], 'approvals.decide', {
            approvalId,
            decision: index % 3 === 0 ? 'reject' : 'approve',
            decisionAcknowledged: true,
            reason: `Racer ${index}.`,
          }),
        ),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19)
  })

  test('hides sensitive values from anyone without an unmask grant', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-masked'), 'A-1002')
    const approvalId = await waitingApproval(id)
    const { traceId } = await get(id)
    const email = 'pavel.novak@mail.example'
    for (const username of ['maria', 'jonas', 'omar', 'vera', 'pia']) {
      const token = await api.person(username)
      for (const [procedure, input] of [
        ['traces.getTrace', { traceId, includeSensitiveData: true }],
        ['executions.get', { id }],
        ['executions.getEvents', { id }],
        ['approvals.get', { approvalId }],
      ] as const)
        expect((await api.query(token, procedure, input)).text, `${username} ${procedure}`).not.toContain(email)
    }
    const trace = await api.query(await api.person('maria'), 'traces.getTrace', { traceId })
    expect(trace.text).toContain('"class":"pii.email","length":24')
  })
})

describe('kill -9', () => {
  test('between the approval and the tool call, loses and repeats nothing', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-kill-wait'), 'A-1001')
    const approvalId = await waitingApproval(id)
    await api.killAndRestart()
    expect((await get(id)).status).toBe('waiting_approval')
    // The decision is committed, and the process dies before any worker takes the job.
    const hold = join(api.gate, 'hold-issue_refund')
    await writeFile(hold, '')
    await approve(api, approvalId)
    await api.killAndRestart()
    await rm(hold)
    await reaches(id, 'succeeded', 60_000)
    expect(await calls('paid', `${id}:refund`)).toHaveLength(1)
  }, 120_000)

  test('during the tool call, an idempotent tool is called again with the same key and pays once', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-kill-call'), 'A-1003')
    const approvalId = await waitingApproval(id)
    const hold = join(api.gate, 'hold-issue_refund')
    await writeFile(hold, '')
    await approve(api, approvalId)
    await until(async () => ((await calls('called', `${id}:refund`)).length > 0 ? true : undefined), 'the call started')
    await api.killAndRestart()
    await rm(hold)
    await reaches(id, 'succeeded', 60_000)
    expect(await calls('paid', `${id}:refund`)).toHaveLength(1)
    const events = payload<{ items: { type: string }[] }>(
      await api.query(await api.person('maria'), 'executions.getEvents', { id }),
    )
    expect(events.items.map((event) => event.type)).toContain('tool.outcome_unknown')
  }, 120_000)
})

describe('proof', () => {
  test('the record of a decision verifies until its row is changed', async () => {
    const id = await start(await releaseRefundAgent(api, 'refund-proof'), 'A-1002')
    const approvalId = await waitingApproval(id)
    await approve(api, approvalId)
    const { auditId } = payload<{ auditId: string }>(
      await api.query(await api.person('jonas'), 'approvals.get', { approvalId }),
    )
    const auditor = await api.client('audit-export')
    const record = await until(async () => {
      const proof = payload<Record<string, unknown>>(await api.query(auditor, 'audit.get', { auditId }))
      return proof.seal === 'sealed' ? proof : undefined
    }, 'the record was sealed')
    const { tenant, date, nonce, merkleRoot } = record
    const input = { tenant, auditId, date, nonce, merkleRoot }
    expect(payload(await api.query(auditor, 'traces.verify', input))).toMatchObject({
      verified: true,
      status: 'verified',
    })

    const owner = new Client({ connectionString: api.ownerUrl })
    await owner.connect()
    await owner.query(
      `update audit_records set record = jsonb_set(record, '{reason}', '"Never checked."') where audit_id = $1`,
      [auditId],
    )
    await owner.end()
    expect(payload(await api.query(auditor, 'traces.verify', input))).toMatchObject({
      verified: false,
      status: 'mismatch',
    })
  })
})

describe('another tenant', () => {
  test('gets the same bytes for a real id as for one that never existed', async () => {
    const agentId = await releaseRefundAgent(api, 'refund-isolated')
    const id = await start(agentId, 'A-1002')
    const approvalId = await waitingApproval(id)
    const { traceId } = await get(id)
    const foreign = {
      person: await api.person('jonas', 'globex'),
      ci: await api.client('ci-pipeline', 'globex'),
      auditor: await api.client('audit-export', 'globex'),
    }
    const never = '01a1f934-0000-7000-8000-000000000000'
    const anonymous = (text: string) => text.replaceAll(/"requestId":"[^"]*"/g, '"requestId":""')
    const pairs: [token: string, kind: 'query' | 'mutate', procedure: string, real: unknown, unknown: unknown][] = [
      [foreign.person, 'query', 'executions.get', { id }, { id: never }],
      [foreign.person, 'query', 'executions.getEvents', { id }, { id: never }],
      [foreign.person, 'query', 'approvals.get', { approvalId }, { approvalId: never }],
      [foreign.person, 'query', 'agents.get', { id: agentId }, { id: never }],
      [foreign.person, 'query', 'traces.getTrace', { traceId }, { traceId: '0'.repeat(32) }],
      [
        foreign.person,
        'mutate',
        'approvals.decide',
        { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'x' },
        { approvalId: never, decision: 'approve', decisionAcknowledged: true, reason: 'x' },
      ],
      [
        foreign.ci,
        'mutate',
        'executions.execute',
        { agentId, environment: 'production', input: {} },
        { agentId: never, environment: 'production', input: {} },
      ],
      [
        foreign.ci,
        'mutate',
        'releases.propose',
        { agentId, version: '1.4.0', environment: 'production' },
        { agentId: never, version: '1.4.0', environment: 'production' },
      ],
    ]
    for (const [token, kind, procedure, real, unknown] of pairs) {
      const one = await api[kind](token, procedure, real)
      const other = await api[kind](token, procedure, unknown)
      expect([procedure, one.status]).toEqual([procedure, 404])
      expect(anonymous(one.text)).toBe(anonymous(other.text))
    }
    const own = await api.query(await api.person('jonas'), 'approvals.get', { approvalId })
    expect(own.status).toBe(200)
  })

  test('selected without a membership is exactly 403 on both transports', async () => {
    const headers = { 'x-svc-tenant-external-id': 'org-globex-2041' }
    const maria = await api.person('maria')
    const ways = [
      await api.query(maria, 'tenants.current', undefined, headers),
      await api.mutate(maria, 'agents.create', { nonsense: true }, headers),
      await api.request(maria, '/v1/policies', { headers }),
      await api.query(maria, 'tenants.current', undefined, { 'x-svc-tenant-external-id': 'no-such-tenant' }),
    ]
    for (const answer of ways) expect([answer.status, answer.text]).toEqual([403, '{"error":"Tenant access denied"}'])
  })

  test('a missing token is 401, a missing permission is 403', async () => {
    expect((await api.query(undefined, 'tenants.current')).status).toBe(401)
    expect((await api.request(undefined, '/v1/policies')).status).toBe(401)
    const bot = await api.client('decisions-bot')
    expect((await api.query(bot, 'approvals.getPending', { limit: 5 })).status).toBe(200)
    expect((await api.query(bot, 'executions.list')).status).toBe(403)
  })
})
