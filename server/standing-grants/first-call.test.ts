import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// The call that a grant covers is the first of its execution, so the start itself decides it.

let api: TestApi
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  api = await startApi()
  executions = executionsOf(api)
}, 180_000)
afterAll(() => api.close())

const query = async <Data>(username: string, name: string, input: object) =>
  payload<Data>(await api.query(await api.person(username), name, input))

type Started = { executionId: string; status: string }
const start = async (agentId: string, id: string, more: object = {}, headers: Record<string, string> = {}) =>
  payload<Started>(
    await api.mutate(
      await api.person('maria'),
      'executions.execute',
      { agentId, environment: 'production', input: { id }, ...more },
      headers,
    ),
  )

let agents = 0
/** A released agent whose only step is a refund, which people must approve. */
const refunds = (more: Record<string, unknown> = {}) => {
  agents += 1
  const pay = { id: '${input.id}', amount: '42.00', currency: 'EUR' }
  return releaseAgent(api, `refund-at-once-${agents}`, {
    steps: [{ id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: pay } }],
    tools: { payments: ['issue_refund'] },
    more,
  })
}

/** An active grant for refunds of A-1…, proposed by anna and approved by jonas, from a call that jonas approved. */
async function activeGrant(agentId: string, more: object = {}): Promise<string> {
  const { executionId, status } = await start(agentId, 'A-1001')
  expect(status).toBe('waiting_approval')
  const source = (await executions.get(executionId)).steps[0]?.approvalId ?? ''
  await approve(api, source)
  expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded' })
  return await grantFrom(source, more)
}
async function grantFrom(source: string, more: object = {}): Promise<string> {
  const terms = {
    like: [{ argument: 'id', pattern: 'A-1*' }],
    ceiling: { argument: 'amount', perCall: '50', total: '5000' },
    uses: 5,
    until: new Date(Date.now() + 86_400_000).toISOString(),
    ...more,
  }
  const { grantId, approvalId } = payload<{ grantId: string; approvalId: string }>(
    await api.mutate(await api.person('anna'), 'approvals.proposeGrant', {
      approvalId: source,
      terms,
      reason: 'Weekly.',
    }),
  )
  await approve(api, approvalId)
  return grantId
}

type Grant = { id: string; status: string; uses: number; spent: { total: string } | null }
const grant = async (id: string, agentId: string) =>
  (await query<{ items: Grant[] }>('anna', 'approvals.listGrants', { agentId })).items.find((one) => one.id === id)
const usesOf = async (grantId: string) =>
  (
    await query<{ items: { number: number; executionId: string; decisionId: string }[] }>(
      'vera',
      'approvals.listGrantUses',
      { grantId, limit: 100 },
    )
  ).items
const paid = async (executionId: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith(`called issue_refund ${executionId}:`)).length

describe('a first call that a grant covers', () => {
  test('is left to a worker, runs once without a person, and counts as one use that its decision names', async () => {
    const agentId = await refunds()
    const grantId = await activeGrant(agentId)
    const { executionId, status } = await start(agentId, 'A-1002')
    expect(status).toBe('queued')
    expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded', steps: [{ approvalId: null }] })
    expect(await paid(executionId)).toBe(1)
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'active', uses: 1, spent: { total: '42' } })
    const uses = await usesOf(grantId)
    expect(uses).toMatchObject([{ number: 1, executionId }])
    const events = await executions.events(executionId)
    expect(events.map(({ type }) => type)).toEqual([
      'execution.running',
      'policy.decided',
      'policy.decided',
      'standing_grant.used',
      'tool.called',
      'tool.returned',
      'execution.succeeded',
    ])
    expect(events[3]?.data).toMatchObject({ grantId, number: 1, of: 5 })
    // Nothing of the start that was rolled back is left.
    const { items } = await query<{ items: { decisionId: string; executionId: string; effect: string }[] }>(
      'maria',
      'policies.decisions',
      { agentId },
    )
    const decided = items.filter((one) => one.executionId === executionId)
    expect(decided.map(({ effect }) => effect)).toEqual(['allow', 'require_approval'])
    expect(decided[0]?.decisionId).toBe(uses[0]?.decisionId)
    const log = await query<{ items: { type: string }[] }>('vera', 'audit.list', { resourceId: grantId })
    expect(log.items.filter(({ type }) => type === 'standing_grant.used')).toHaveLength(1)
    const started = await query<{ items: { type: string }[] }>('vera', 'audit.list', { resourceId: executionId })
    expect(started.items.filter(({ type }) => type === 'execution.started')).toHaveLength(1)
  })

  test('starts once for each kind of key', async () => {
    const agentId = await refunds()
    const grantId = await activeGrant(agentId)
    for (const keys of [[{ idempotencyKey: 'k' }], [{}, { 'idempotency-key': 'k' }]] as const) {
      const [first, same] = await Promise.all([start(agentId, 'A-1002', ...keys), start(agentId, 'A-1002', ...keys)])
      expect(same.executionId).toBe(first.executionId)
      expect(await executions.ended(first.executionId)).toMatchObject({ status: 'succeeded' })
      expect((await start(agentId, 'A-1002', ...keys)).executionId).toBe(first.executionId)
    }
    expect(await grant(grantId, agentId)).toMatchObject({ uses: 2 })
  })

  test('of many at the same moment, runs as often as uses are left; people must approve the others', async () => {
    const agentId = await refunds()
    const uses = sized(20, 3)
    const grantId = await activeGrant(agentId, { uses })
    const all = await Promise.all(Array.from({ length: uses + 3 }, () => start(agentId, 'A-1002')))
    const statuses = await Promise.all(
      all.map(({ executionId }) =>
        until(async () => {
          const { status } = await executions.get(executionId)
          return ['queued', 'running'].includes(status) ? undefined : status
        }, `${executionId} waits or ends`),
      ),
    )
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(uses)
    expect(statuses.filter((status) => status === 'waiting_approval')).toHaveLength(3)
    expect(await Promise.all(all.map(({ executionId }) => paid(executionId)))).toEqual(
      statuses.map((status) => (status === 'succeeded' ? 1 : 0)),
    )
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'used_up', uses })
    expect((await usesOf(grantId)).map(({ number }) => number)).toEqual(
      Array.from({ length: uses }, (_, index) => uses - index),
    )
  })
})

describe('the start asks people', () => {
  test('for a call that the grant does not cover, and for each one when it is used up', async () => {
    const agentId = await refunds()
    await activeGrant(agentId, { uses: 1 })
    expect(await start(agentId, 'B-2001')).toMatchObject({ status: 'waiting_approval' })
    const { executionId } = await start(agentId, 'A-1002')
    expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded' })
    expect(await start(agentId, 'A-1003')).toMatchObject({ status: 'waiting_approval' })
  })

  test('when too little of its total is left', async () => {
    const agentId = await refunds()
    const total = { argument: 'amount', perCall: '50', total: '60' }
    const grantId = await activeGrant(agentId, { ceiling: total })
    const { executionId } = await start(agentId, 'A-1002')
    expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded' })
    expect(await start(agentId, 'A-1003')).toMatchObject({ status: 'waiting_approval' })
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'active', uses: 1, spent: { total: '42' } })
  })

  test('when its time is over', async () => {
    const agentId = await refunds()
    const grantId = await activeGrant(agentId, { until: new Date(Date.now() + 5_000).toISOString() })
    await until(
      async () => ((await grant(grantId, agentId))?.status === 'expired' ? true : undefined),
      'the grant has expired',
    )
    expect(await start(agentId, 'A-1003')).toMatchObject({ status: 'waiting_approval' })
  })
})

test('an execution that waits for a place is decided when it has one, and uses the grant then', async () => {
  const agentId = await refunds({ limits: { concurrency: 1 } })
  const grantId = await activeGrant(agentId)
  const both = await Promise.all([start(agentId, 'A-1002'), start(agentId, 'A-1003')])
  for (const { executionId, status } of both) {
    expect(status).toBe('queued')
    expect(await executions.ended(executionId)).toMatchObject({ status: 'succeeded' })
    expect(await paid(executionId)).toBe(1)
  }
  expect(await grant(grantId, agentId)).toMatchObject({ uses: 2 })
})

test('a call over MCP uses the grant, too', async () => {
  const name = 'refund-elsewhere'
  const agentId = await releaseAgent(api, name, { runtime: { observe: {} }, tools: { payments: ['issue_refund'] } })
  const client = new Client({ name: 'external agent', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/v1/mcp/${name}/payments`, api.baseUrl), {
      requestInit: { headers: { authorization: `Bearer ${await api.person('maria')}` } },
    }),
  )
  const refund = async (id: string) => {
    const call = { name: 'issue_refund', arguments: { id, amount: '42.00', currency: 'EUR' } }
    const answer = await client.callTool({ ...call, _meta: { 'countersign/waitSeconds': 2 } })
    return answer.structuredContent as { status?: string; approvalId?: string }
  }
  const { status, approvalId = '' } = await refund('A-1001')
  expect(status).toBe('pending')
  await approve(api, approvalId)
  const grantId = await grantFrom(approvalId)
  await until(async () => ((await refund('A-1002')).status === 'pending' ? undefined : true), 'the refund has run')
  expect(await grant(grantId, agentId)).toMatchObject({ uses: 1, spent: { total: '42' } })
  const [use] = await usesOf(grantId)
  expect(await paid(use?.executionId ?? '')).toBe(1)
  await client.close()
})
