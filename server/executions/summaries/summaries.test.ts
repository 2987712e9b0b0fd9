import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { erasureSearched, requestErasure } from '#server/testing/erasures.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// What the list says of executions, over HTTP.

let api: TestApi
let agentId: string
beforeAll(async () => {
  api = await startApi()
  agentId = await releaseRefundAgent(api, 'refund-listed')
}, 180_000)
afterAll(() => api.close())

const list = async (input: object, username = 'maria') =>
  payload<{ items: ExecutionSummary[]; nextCursor: string | null }>(
    await api.query(await api.person(username), 'executions.list', input),
  )
const row = async (id: string) => (await list({ q: id })).items[0]

/** Starts a refund and waits for its request. */
async function waiting(orderId: string): Promise<{ id: string; approvalId: string }> {
  const executions = executionsOf(api)
  const id = await executions.start(agentId, { orderId })
  const approvalId = await until(
    async () => (await executions.get(id)).steps.find((step) => step.id === 'refund')?.approvalId ?? undefined,
    `${id} asks`,
  )
  return { id, approvalId }
}

test('a row says what the execution does, with which input, and who decided why', async () => {
  const { id, approvalId } = await waiting('A-1001')
  const before = await row(id)
  expect(before).toMatchObject({
    status: 'waiting_approval',
    effect: { title: expect.stringMatching(/^Issue refund of €[\d.,]+ for A-1001$/), amount: { currency: 'EUR' } },
    inputShown: [{ path: 'orderId', value: 'A-1001' }],
    durationMs: null,
    startedBy: { username: 'maria' },
    decision: { approvalId, status: 'pending', by: null, reason: null },
  })
  const decision = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'No receipt.' }
  payload(await api.mutate(await api.person('jonas'), 'approvals.decide', decision))
  const rejected = await executionsOf(api).ended(id)
  expect(rejected).toMatchObject({ effect: before?.effect, durationMs: expect.any(Number) })
  expect(await row(id)).toMatchObject({
    effect: before?.effect,
    decision: { status: 'rejected', by: { username: 'jonas' }, reason: 'No receipt.' },
  })
})

test('the list and the page say the same of an execution', async () => {
  const { id } = await waiting('A-1002')
  const one = await row(id)
  expect(await executionsOf(api).get(id)).toMatchObject({ ...one })
})

describe('filters', () => {
  test('by who started it, environment, time and order', async () => {
    const first = await executionsOf(api).start(agentId, { orderId: 'A-1003' })
    const middle = (await row(first))?.createdAt ?? ''
    const ci = await api.client('ci-pipeline')
    const request = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
    const second = payload<{ executionId: string }>(await api.mutate(ci, 'executions.execute', request)).executionId
    const ids = async (filter: object) => (await list({ agentId, ...filter })).items.map(({ id }) => id)
    const starter = (await row(second))?.startedBy.id
    expect(starter).not.toBe((await row(first))?.startedBy.id)
    expect(await ids({ startedBy: starter })).toEqual([second])
    expect(await ids({ environment: 'staging' })).toEqual([])
    expect((await ids({ environment: 'production' })).slice(0, 2)).toEqual([second, first])
    expect((await ids({ sort: 'oldest' })).slice(-2)).toEqual([first, second])
    expect((await ids({ from: middle })).toReversed().slice(0, 2)).toEqual([first, second])
    const earlier = await ids({ to: middle })
    expect(earlier).not.toContain(first)
    expect(earlier.length).toBeGreaterThan(0)
    // Page by page, in both orders and within a period.
    for (const filter of [
      {},
      { sort: 'oldest' },
      { from: '2020-01-01T00:00:00.000Z' },
      { to: '2099-01-01T00:00:00.000Z', sort: 'oldest' },
    ]) {
      const all = await ids({ ...filter, limit: 200 })
      const paged: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof list>> = await list({
          agentId,
          ...filter,
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        })
        paged.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect([filter, paged]).toEqual([filter, all])
    }
  })

  test.each([
    { startedBy: 'maria' },
    { from: 'yesterday' },
    { sort: 'amount' },
    { q: ' ' },
    { q: 'x'.repeat(201) },
    { environment: 'A B' },
    { ids: [] },
    { ids: ['A-1001'] },
  ])('a filter of a wrong form is refused: %j', async (filter) => {
    const answer = await api.query(await api.person('maria'), 'executions.list', filter)
    expect([answer.status, reason(answer)]).toEqual([400, 'validation_failed'])
  })

  test('some of them are named by their ids, also together with a search', async () => {
    const [one, other] = [(await waiting('A-1001')).id, (await waiting('A-1002')).id]
    const found = async (input: object) => (await list(input)).items.map(({ id }) => id)
    expect(await found({ ids: [one, other], limit: 200 })).toEqual([other, one])
    expect(await found({ ids: [one, agentId] })).toEqual([one])
    expect(await found({ ids: [one], q: other })).toEqual([])
    expect(await found({ ids: [one, other], q: one })).toEqual([one])
  })

  test('words find an execution by its request, and ids by themselves', async () => {
    const { id } = await waiting('A-1003')
    const found = await until(async () => {
      const { items } = await list({ q: 'refund A-1003' })
      return items.length > 0 ? items : undefined
    }, 'the words are indexed')
    expect(found.map((one) => one.id)).toContain(id)
    const traceId = (await row(id))?.traceId ?? ''
    expect((await list({ q: traceId.toUpperCase() })).items.map((one) => one.id)).toEqual([id])
    expect((await list({ q: 'nothing like it' })).items).toEqual([])
    expect((await list({ q: id, status: ['failed'] })).items).toEqual([])
    expect((await list({ q: '0'.repeat(32) })).items).toEqual([])
  })
})

test('a person without the permission to read executions sees none', async () => {
  const answer = await api.query(await api.person('pia'), 'executions.list', {})
  expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
})

describe('sensitive data', () => {
  test('is masked in a row as on the page, also if a later answer makes it known', async () => {
    const agent = await releaseAgent(api, 'masked-rows', {
      steps: [
        {
          id: 'refund',
          tool: {
            server: 'payments',
            name: 'issue_refund',
            arguments: { id: `\${input.email}`, amount: '1.00', currency: 'EUR' },
          },
        },
      ],
      tools: { payments: ['issue_refund'] },
      more: {
        risk: { tier: 'low' },
        data: { sensitive: [{ path: '$.email', class: 'pii.email' }] },
        governance: { approvals: { group: 'refund-approvers', quorum: 1, expiresAfter: 'P7D' } },
      },
    })
    const id = await executionsOf(api).start(agent, {
      email: 'elif@northwind.example',
      note: 'For elif@northwind.example',
    })
    await until(async () => ((await row(id))?.status === 'waiting_approval' ? true : undefined), `${id} waits`)
    const one = await row(id)
    expect(one?.inputShown).toEqual([
      { path: 'email', masked: { class: 'pii.email', length: 22 } },
      { path: 'note', masked: { class: 'pii.email', length: 26 } },
    ])
    expect(one?.effect?.title).toBe('Issue refund of €1.00')
    expect(JSON.stringify(one)).not.toContain('elif')
  })

  test('nothing is said of an erased execution, in the list and on the page', async () => {
    const { id, approvalId } = await waiting('A-1003')
    await approve(api, approvalId)
    await executionsOf(api).ended(id)
    expect((await row(id))?.effect).not.toBeNull()
    await erasureSearched(api, await requestErasure(api, 'A-1003'))
    expect(await row(id)).toMatchObject({ effect: null, inputShown: [], status: 'succeeded' })
    expect(JSON.stringify(await executionsOf(api).get(id))).not.toContain('A-1003')
  })
})
