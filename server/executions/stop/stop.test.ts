import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '#lib/schemas/approvals.ts'
import { type Answer, patiently, payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { type SecondNode, secondNode } from '#server/testing/processes/second-node.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { runningSpansOfEnded } from '#server/testing/running-spans.ts'
import { until } from '#server/testing/until.ts'

// Stopping one execution or all executions of an agent: they end even during a hanging call, and unknown outcomes are reported.

let api: TestApi
let other: SecondNode
let operator: string
beforeAll(async () => {
  api = await startApi()
  other = await secondNode(api)
  operator = await api.person('omar')
}, 180_000)
afterAll(async () => {
  await other.close()
  await api.close()
})

// The trace of an execution ends with it, so nothing in it may seem to go on.
afterEach(async () => expect(await runningSpansOfEnded(api)).toEqual([]))

type Execution = {
  status: string
  traceId: string
  revision: number
  error: { code: string } | null
  stopRequestedAt: string | null
  stopConfirmedAt: string | null
  parkedAt: string | null
  endedAt: string | null
  steps: { id: string; status: string; approvalId: string | null }[]
}
type Me = { principal: { id: string; displayName: string } }
type Agent = { status: string; revision: number }
const get = async (id: string) => payload<Execution>(await api.query(operator, 'executions.get', { id }))
const reaches = (id: string, status: string, timeoutMs?: number) =>
  until(async () => ((await get(id)).status === status ? await get(id) : undefined), `${id} ${status}`, timeoutMs)
const ended = (id: string) =>
  until(async () => ((await get(id)).endedAt === null ? undefined : await get(id)), `${id} ended`)
const run = async (agentId: string) =>
  api.mutate(await api.person('maria'), 'executions.execute', {
    agentId,
    environment: 'production',
    input: { orderId: 'A-1003' },
  })
const start = async (agentId: string) => payload<{ executionId: string }>(await run(agentId)).executionId
const cancel = (id: string, expectedRevision: number) =>
  api.mutate(operator, 'executions.cancel', { id, expectedRevision, reason: 'It does the wrong thing.' })
const agent = async (id: string) => payload<Agent>(await api.query(operator, 'agents.get', { id }))
const operate = async (verb: 'suspend' | 'resume' | 'retire', id: string) =>
  api.mutate(operator, `agents.${verb}`, { id, expectedRevision: (await agent(id)).revision, reason: 'As agreed.' })
const told = (answer: Answer) => [answer.status, reason(answer)]

const holdFile = (tool: string) => join(api.gate, `hold-${tool}`)
const lines = async (event: string, key: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith(`${event} `) && line.endsWith(key))
/** While `work` runs, calls of the tool start but do not proceed. */
async function held<T>(tool: string, work: () => Promise<T>): Promise<T> {
  await writeFile(holdFile(tool), '')
  try {
    return await work()
  } finally {
    await rm(holdFile(tool), { force: true })
  }
}
const called = (key: string) =>
  until(async () => ((await lines('called', key)).length > 0 ? true : undefined), `${key} was called`)
const approvalOf = async (id: string) =>
  (await reaches(id, 'waiting_approval')).steps.find((step) => step.id === 'refund')?.approvalId ?? ''

/** The kind, status and outcome of the spans of the execution, and how many of them are errors. */
async function traceOf(id: string) {
  const { traceId } = await get(id)
  type Span = { kind: string; status: string; attributes: { key: string; value?: unknown }[] }
  const { trace, spans } = payload<{ trace: { errorCount: number }; spans: Span[] }>(
    await api.query(await api.person('maria'), 'traces.getTrace', { traceId }),
  )
  const outcomes = /^countersign\.(execution\.status|approval\.status|wait\.outcome)$/
  const told = spans.map(({ kind, status, attributes }) => [
    kind,
    status,
    attributes.find(({ key }) => outcomes.test(key))?.value,
  ])
  return { errors: trace.errorCount, spans: told }
}

const waiting = (name: string, ttl: string) =>
  releaseAgent(api, name, {
    steps: [{ id: 'ok', wait: { input: 'go' } }],
    tools: {},
    more: { inputs: [{ name: 'go', ttl }] },
  })
const send = async (executionId: string, data: unknown) =>
  (
    await api.request(await api.client('ci-pipeline'), '/v1/input-events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `go-${executionId}` },
      body: JSON.stringify({ correlation: { executionId, input: 'go' }, data }),
    })
  ).body as { status: string }

describe('canceling an execution', () => {
  test('that waits ends it immediately, along with its approval', async () => {
    const id = await start(await releaseRefundAgent(api, 'stop-waiting'))
    const approvalId = await approvalOf(id)
    const { revision } = await get(id)
    expect(told(await cancel(id, revision - 1))).toEqual([409, 'revision_conflict'])
    expect(payload(await cancel(id, revision))).toMatchObject({
      status: 'canceled',
      stopConfirmedAt: expect.any(String),
    })
    // The person who stopped it, in whose name the agent withdraws the request.
    const { principal } = payload<Me>(await api.query(operator, 'session.me'))
    const { id: memberId, displayName } = principal
    expect(payload(await api.query(operator, 'approvals.get', { approvalId }))).toMatchObject({
      status: 'canceled',
      canceled: {
        by: { kind: 'person', id: memberId, displayName },
        at: expect.any(String),
        reason: 'It does the wrong thing.',
      },
    })
    expect((await get(id)).steps.find((step) => step.approvalId === approvalId)).toMatchObject({
      status: 'skipped',
      endedAt: null,
    })
    expect(told(await cancel(id, revision + 2))).toEqual([409, 'conflict'])
    expect(await lines('called', `${id}:refund`)).toEqual([])
    const { errors, spans } = await traceOf(id)
    expect(spans).toContainEqual(['approval', 'unset', 'canceled'])
    expect(spans[0]).toEqual(['agent', 'unset', 'canceled'])
    expect(errors).toBe(0)
  })

  test('of which a reviewer requested changes ends it immediately, too', async () => {
    const id = await start(await releaseRefundAgent(api, 'stop-changes'))
    const approvalId = await approvalOf(id)
    const asked = { approvalId, reason: 'The amount is too high.' }
    payload(await api.mutate(await api.person('jonas'), 'approvals.requestChanges', asked))
    payload(await cancel(id, (await get(id)).revision))
    expect((await traceOf(id)).spans).toContainEqual(['approval', 'unset', 'canceled'])
  })

  test('that waits for input ends it immediately, without an error in its trace', async () => {
    const id = await start(await waiting('stop-input', 'PT1H'))
    payload(await cancel(id, (await reaches(id, 'waiting_input')).revision))
    expect((await get(id)).steps.map(({ status }) => status)).toEqual(['skipped'])
    const { errors, spans } = await traceOf(id)
    expect(spans).toContainEqual(['wait', 'unset', 'canceled'])
    expect(errors).toBe(0)
  })

  test('during a call that may have side effects makes it indeterminate', async () => {
    const id = await start(await releaseRefundAgent(api, 'stop-unknown'))
    const approvalId = await approvalOf(id)
    await held('issue_refund', async () => {
      await approve(api, approvalId)
      await called(`${id}:refund`)
      const asked = payload<Execution>(await cancel(id, (await get(id)).revision))
      expect(asked).toMatchObject({ status: 'running', stopRequestedAt: expect.any(String), stopConfirmedAt: null })
      const over = await ended(id)
      expect(over).toMatchObject({ status: 'indeterminate', error: { code: 'outcome_unknown' }, stopConfirmedAt: null })
    })
    expect((await lines('called', `${id}:refund`)).length).toBe(1)
    expect((await lines('paid', `${id}:refund`)).length).toBeLessThanOrEqual(1)
  })

  test('during a read-only call has a confirmed outcome', async () => {
    const agentId = await releaseRefundAgent(api, 'stop-read')
    await held('lookup_order', async () => {
      const id = await start(agentId)
      await called(`${id}:order`)
      payload(await cancel(id, (await get(id)).revision))
      expect(await ended(id)).toMatchObject({ status: 'canceled', stopConfirmedAt: expect.any(String) })
    })
  })

  test('keeps the answer of a call that is about to finish', async () => {
    const id = await start(await releaseRefundAgent(api, 'stop-grace'))
    const approvalId = await approvalOf(id)
    await held('issue_refund', async () => {
      await approve(api, approvalId)
      await called(`${id}:refund`)
      payload(await cancel(id, (await get(id)).revision))
    })
    expect(await ended(id)).toMatchObject({ status: 'canceled', stopConfirmedAt: expect.any(String) })
    expect((await get(id)).steps.find((step) => step.id === 'refund')?.status).toBe('succeeded')
    expect(await lines('paid', `${id}:refund`)).toHaveLength(1)
  })

  test('twenty times concurrently succeeds once', async () => {
    const id = await start(await waiting('stop-race', 'PT1H'))
    const { revision } = await reaches(id, 'waiting_input')
    const answers = await Promise.all(Array.from({ length: 20 }, () => patiently(() => cancel(id, revision))))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19)
  })
})

describe('suspending an agent', () => {
  test('stops running executions on every node and prevents new ones', async () => {
    const agentId = await releaseRefundAgent(api, 'suspend-running')
    await held('lookup_order', async () => {
      const ids = await Promise.all(Array.from({ length: 6 }, () => start(agentId)))
      for (const id of ids) await called(`${id}:order`)
      expect(payload(await operate('suspend', agentId))).toMatchObject({ status: 'suspended', stopping: 6, parked: 0 })
      for (const id of ids) expect((await ended(id)).error?.code).toBe('agent_suspended')
    })
    expect(told(await run(agentId))).toEqual([409, 'agent_suspended'])
    expect(told(await operate('suspend', agentId))).toEqual([409, 'conflict'])
  })

  test('parks waiting executions: deadlines pause, input is kept, and they continue after the resume', async () => {
    const agentId = await waiting('suspend-waiting', 'PT3S')
    const [first, second] = [await start(agentId), await start(agentId)]
    for (const id of [first, second]) await reaches(id, 'waiting_input')
    expect(payload(await operate('suspend', agentId))).toMatchObject({ stopping: 0, parked: 2 })
    expect(await send(first, 'kept')).toMatchObject({ status: 'accepted' })
    await until(
      async () => ((await waitsThatMayExpire([first, second])) === 0 ? true : undefined),
      'their time had run out',
    )
    for (const id of [first, second])
      expect(await get(id)).toMatchObject({ status: 'waiting_input', parkedAt: expect.any(String) })
    payload(await operate('resume', agentId))
    await reaches(first, 'succeeded')
    expect((await reaches(second, 'expired')).error?.code).toBe('wait_expired')
  })

  test('parks executions that wait for an approval; one approved during the suspension runs after the resume', async () => {
    const agentId = await releaseRefundAgent(api, 'suspend-approval')
    const id = await start(agentId)
    const approvalId = await approvalOf(id)
    payload(await operate('suspend', agentId))
    await approve(api, approvalId)
    await until(async () => ((await jobsOf(id)) === 0 ? true : undefined), 'its job had nothing to do')
    expect(await lines('called', `${id}:refund`)).toEqual([])
    payload(await operate('resume', agentId))
    await reaches(id, 'succeeded')
    expect(await lines('paid', `${id}:refund`)).toHaveLength(1)
  })

  test('and retiring it ends parked executions permanently', async () => {
    const agentId = await waiting('suspend-retire', 'PT1H')
    const id = await start(agentId)
    await reaches(id, 'waiting_input')
    expect(told(await operate('retire', agentId))).toEqual([409, 'conflict'])
    payload(await operate('suspend', agentId))
    payload(await operate('retire', agentId))
    expect(await ended(id)).toMatchObject({ status: 'canceled', error: { code: 'agent_suspended' } })
    expect(await send(id, 'late')).toMatchObject({ status: 'wait_terminal' })
    expect(told(await operate('resume', agentId))).toEqual([409, 'conflict'])
  })

  test('and retiring it cancels a request in the name of its agent', async () => {
    const agentId = await releaseRefundAgent(api, 'retire-approval')
    const approvalId = await approvalOf(await start(agentId))
    payload(await operate('suspend', agentId))
    payload(await operate('retire', agentId))
    const canceled = await until(
      async () => payload<Approval>(await api.query(operator, 'approvals.get', { approvalId })).canceled,
      'the request was canceled',
    )
    expect(canceled).toMatchObject({ by: { kind: 'agent', displayName: 'retire-approval' }, reason: null })
  })
})

/** The number of the execution's jobs that have not completed. */
const jobsOf = (id: string) =>
  count(
    `select count(*)::int as count from pgboss.job where name = 'executions' and singleton_key = $1 and state < 'completed'`,
    [id],
  )

/** The number of waits that have time left or a pending expiry job. */
const waitsThatMayExpire = (executionIds: string[]) =>
  count(
    `select count(*)::int as count from input_waits wait where execution_id = any($1) and (expires_at > clock_timestamp()
       or exists (select from pgboss.job where name = 'input-wait-expiry' and singleton_key = wait.id::text and state < 'completed'))`,
    [executionIds],
  )

async function count(query: string, values: unknown[]): Promise<number> {
  const client = new Client({ connectionString: api.ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ count: number }>(query, values)
  await client.end()
  return rows[0]?.count ?? 0
}
