import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'

// A start whose first call is denied fails immediately, and the attempt is stored as a denied execution.

let api: TestApi
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  api = await startApi()
  executions = executionsOf(api)
}, 180_000)
afterAll(() => api.close())

type Refusal = {
  code: string
  message: string
  executionId: string
  traceId: string
  denial: { code: string; message: string }
}
const refusalOf = ({ body }: { body: unknown }) => (body as { error: { json: { data: Refusal } } }).error.json.data

const pay = { id: 'A-1003', amount: '${input.amount}', currency: 'EUR' }
const refunds = (name: string, more = {}) =>
  releaseAgent(api, name, {
    steps: [{ id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: pay } }],
    tools: { payments: ['issue_refund'] },
    more,
  })
const start = async (agentId: string, amount: string, more: object = {}, headers: Record<string, string> = {}) =>
  api.mutate(
    await api.person('maria'),
    'executions.execute',
    { agentId, environment: 'production', input: { amount }, ...more },
    headers,
  )

test('a denied first call is 403 and leaves a denied execution with its decision, trace and audit records', async () => {
  const agentId = await refunds('too-much')
  const answer = await start(agentId, '20000.00')
  expect(answer.status).toBe(403)
  const { executionId, traceId, ...refusal } = refusalOf(answer)
  const message = "A refund above 10,000.00 is not the assistant's to make."
  expect(refusal).toMatchObject({
    reason: 'policy_denied',
    httpStatus: 403,
    retryable: false,
    status: 'denied',
    denial: { code: 'REFUND_CEILING', message },
  })
  expect(await executions.get(executionId)).toMatchObject({
    status: 'denied',
    traceId,
    error: { code: 'REFUND_CEILING', message },
  })
  expect((await executions.events(executionId)).map(({ type }) => type)).toEqual([
    'execution.running',
    'policy.decided',
    'execution.denied',
  ])
  const maria = await api.person('maria')
  const { items } = payload<{ items: { executionId: string; effect: string }[] }>(
    await api.query(maria, 'policies.decisions', { agentId }),
  )
  expect(items).toMatchObject([{ executionId, effect: 'deny' }])
  expect((await api.query(await api.person('vera'), 'audit.list', { limit: 50 })).text).toContain(executionId)
})

test('a repeated request with either kind of key gets the same answer and starts nothing', async () => {
  const agentId = await refunds('too-much-again')
  const count = async () =>
    payload<{ items: unknown[] }>(await api.query(await api.person('maria'), 'executions.list', { agentId })).items
      .length
  for (const keys of [[{ idempotencyKey: 'k' }], [{}, { 'idempotency-key': 'k' }]] as const) {
    const answers = [await start(agentId, '20000.00', ...keys), await start(agentId, '20000.00', ...keys)]
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    const [first, second] = answers.map(refusalOf)
    const { requestId: _one, ...told } = { requestId: '', ...first }
    expect(second).toMatchObject(told)
  }
  expect(await count()).toBe(2)
  expect((await start(agentId, '20001.00', { idempotencyKey: 'k' })).status).toBe(409)
})

test('a repeated request gets its answer also when the agent has been suspended since', async () => {
  const agentId = await refunds('suspended-since')
  const first = payload<{ executionId: string }>(await start(agentId, '21.00', { idempotencyKey: 's' }))
  const omar = await api.person('omar')
  const { revision } = payload<{ revision: number }>(await api.query(omar, 'agents.get', { id: agentId }))
  const suspension = { id: agentId, reason: 'A look.', expectedRevision: revision }
  payload(await api.mutate(omar, 'agents.suspend', suspension))
  expect(payload(await start(agentId, '21.00', { idempotencyKey: 's' }))).toMatchObject({
    executionId: first.executionId,
  })
  const other = await start(agentId, '22.00', { idempotencyKey: 's' })
  expect([other.status, other.text]).toEqual([409, expect.stringContaining('event_conflict')])
  const another = await start(agentId, '21.00', { idempotencyKey: 't' })
  expect([another.status, another.text]).toEqual([409, expect.stringContaining('agent_suspended')])
})

test('the approval of a first call is requested immediately, and the approved call is made', async () => {
  const agentId = await refunds('by-approval')
  const { executionId, status } = payload<{ executionId: string; status: string }>(await start(agentId, '20.00'))
  expect(status).toBe('waiting_approval')
  const [step] = (await executions.get(executionId)).steps
  await approve(api, step?.approvalId ?? '')
  expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded', output: { amount: '20.00' } })
})

test('a first call that no one is eligible to approve is 409', async () => {
  const agentId = await releaseAgent(api, 'no-approvers', {
    steps: [{ id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1003' } } }],
    tools: {},
    more: {
      tools: [{ mcp: { server: 'payments' }, allow: ['lookup_order'], requireApproval: ['lookup_order'] }],
      governance: { approvals: { group: 'refund-approvers', quorum: 9 } },
    },
  })
  const answer = await start(agentId, '1.00')
  expect([answer.status, refusalOf(answer).denial.code]).toEqual([409, 'no_eligible_approver'])
  expect((await executions.get(refusalOf(answer).executionId)).status).toBe('denied')
})

test('a denied later call does not fail the start: 200, and the execution ends as denied', async () => {
  const agentId = await releaseAgent(api, 'denied-later', {
    steps: [
      { id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1003' } } },
      { id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: pay } },
    ],
    tools: { payments: ['lookup_order', 'issue_refund'] },
  })
  const key = { idempotencyKey: 'later' }
  const answer = await start(agentId, '20000.00', key)
  const { executionId, status } = payload<{ executionId: string; status: string }>(answer)
  expect(status).toBe('queued')
  expect(await executions.ended(executionId)).toMatchObject({ status: 'denied', error: { code: 'REFUND_CEILING' } })
  // Repeating the start returns the current state.
  expect(refusalOf(await start(agentId, '20000.00', key))).toMatchObject({ executionId, status: 'denied' })
})

test('an input that the manifest does not describe starts nothing, and each member is named', async () => {
  const properties = { amount: { type: 'string', format: 'decimal' }, note: { type: 'string', maxLength: 5 } }
  const agentId = await refunds('described', { inputSchema: { type: 'object', properties, required: ['amount'] } })
  const count = async () =>
    payload<{ items: unknown[] }>(await api.query(await api.person('maria'), 'executions.list', { agentId })).items
      .length
  const refused = await start(agentId, '1,50', { input: { amount: '1,50', note: 'too long' } })
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({
    error: {
      json: {
        data: {
          reason: 'validation_failed',
          issues: [
            { path: 'input.amount', message: 'Must be a number such as 59.90.' },
            { path: 'input.note', message: 'Must have up to 5 characters.' },
          ],
        },
      },
    },
  })
  expect((await start(agentId, '', { input: {} })).status).toBe(400)
  expect(await count()).toBe(0)
  expect((await start(agentId, '1.50')).status).toBe(200)
  expect(await count()).toBe(1)
})

test('a release with a description of another form is refused, and the member is named', async () => {
  const odd = refunds('odd-description', { inputSchema: { properties: { amount: { type: 'money' } } } })
  await expect(odd).rejects.toThrow(/spec\.inputSchema\.properties\.amount\.type: Must be one of string, number/)
})
