import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// A reviewer requests changes to a call, and its requester proposes other arguments: over HTTP, with a real tool server.

let api: TestApi
let agentId: string
beforeAll(async () => {
  api = await startApi()
  agentId = await releaseRefundAgent(api, 'refund-changed')
}, 180_000)
afterAll(() => api.close())

type Execution = { status: string; error: { code: string } | null; steps: { id: string; approvalId: string | null }[] }
type Shown = {
  status: string
  payloadDigest: string
  votes: unknown[]
  presentation: { title: string }
  changes: unknown
  supersedes: { approvalId: string; changed: unknown[] } | null
}

const execution = async (id: string) =>
  payload<Execution>(await api.query(await api.person('maria'), 'executions.get', { id }))
const reaches = (id: string, status: string) =>
  until(async () => ((await execution(id)).status === status ? true : undefined), `${id} ${status}`)
async function waiting(): Promise<{ id: string; approvalId: string }> {
  const { executionId: id } = payload<{ executionId: string }>(
    await api.mutate(await api.person('maria'), 'executions.execute', {
      agentId,
      environment: 'production',
      input: { orderId: 'A-1001' },
    }),
  )
  await reaches(id, 'waiting_approval')
  const { steps } = await execution(id)
  return { id, approvalId: steps.find((step) => step.id === 'refund')?.approvalId ?? '' }
}
const shown = async (approvalId: string, username = 'jonas') =>
  payload<Shown>(await api.query(await api.person(username), 'approvals.get', { approvalId }))
const decide = async (approvalId: string, more: object = {}) =>
  api.mutate(await api.person('jonas'), 'approvals.decide', {
    approvalId,
    decision: 'approve',
    decisionAcknowledged: true,
    reason: 'Read and found right.',
    ...more,
  })
const requestChanges = async (approvalId: string, username = 'jonas') =>
  api.mutate(await api.person(username), 'approvals.requestChanges', {
    approvalId,
    reason: 'Half of it: one item was kept.',
  })
const revise = async (approvalId: string, changes: object, username = 'maria') =>
  api.mutate(await api.person(username), 'approvals.revise', { approvalId, changes })

test('other arguments are a new request without votes, and run exactly as they were approved', async () => {
  const { id, approvalId } = await waiting()
  const before = await shown(approvalId)
  payload(await requestChanges(approvalId))
  expect(await shown(approvalId, 'maria')).toMatchObject({
    status: 'canceled',
    votes: [],
    changes: { by: { username: 'jonas' }, reason: 'Half of it: one item was kept.', nextId: null, mayRevise: true },
  })
  expect(await shown(approvalId)).toMatchObject({ changes: { mayRevise: false } })
  expect(reason(await decide(approvalId))).toBe('already_decided')
  expect((await execution(id)).status).toBe('waiting_approval')

  const next = payload<{ approvalId: string; supersedes: string }>(await revise(approvalId, { amount: '2100.00' }))
  expect(next.supersedes).toBe(approvalId)
  const after = await shown(next.approvalId)
  expect(after).toMatchObject({
    status: 'pending',
    votes: [],
    presentation: { title: 'Issue refund of €2,100.00 for A-1001' },
    supersedes: {
      approvalId,
      changed: [{ path: 'amount', before: { value: '4200.00' }, after: { value: '2100.00' } }],
    },
  })
  expect(after.payloadDigest).not.toBe(before.payloadDigest)
  expect(await shown(approvalId)).toMatchObject({ changes: { nextId: next.approvalId, mayRevise: false } })
  expect(reason(await decide(next.approvalId, { payloadDigest: before.payloadDigest }))).toBe('digest_mismatch')
  expect(reason(await revise(approvalId, { amount: '1.00' }))).toBe('conflict')
  payload(await decide(next.approvalId, { payloadDigest: after.payloadDigest }))
  await reaches(id, 'succeeded')
  const ran = canonicalJson({ id: 'A-1001', amount: '2100.00', currency: 'EUR' })
  const log = (await readFile(join(api.gate, 'got.log'), 'utf8')).split('\n')
  expect(log.filter((line) => line.endsWith(` ${id}:refund`))).toEqual([
    `${createHash('sha256').update(ran).digest('hex')} issue_refund ${id}:refund`,
  ])
})

test('are refused when they change nothing, do not fit the tool, are forbidden, or come from someone else', async () => {
  const { approvalId } = await waiting()
  expect(reason(await revise(approvalId, { amount: '1.00' }))).toBe('conflict')
  expect(reason(await requestChanges(approvalId, 'maria'))).toBe('separation_of_duties')
  payload(await requestChanges(approvalId))
  expect(reason(await requestChanges(approvalId))).toBe('already_decided')
  expect(reason(await revise(approvalId, {}))).toBe('validation_failed')
  expect(reason(await revise(approvalId, { amount: '4200.00' }))).toBe('validation_failed')
  expect(reason(await revise(approvalId, { amount: 'much' }))).toBe('validation_failed')
  expect(reason(await revise(approvalId, { id: null }))).toBe('validation_failed')
  expect(reason(await revise(approvalId, { note: 'x' }))).toBe('validation_failed')
  expect((await revise(approvalId, { amount: '1.00' }, 'vera')).status).toBe(403)
  expect(await shown(approvalId, 'maria')).toMatchObject({ changes: { mayRevise: true } })
})

test('proposed twice at once are one request', async () => {
  const { approvalId } = await waiting()
  payload(await requestChanges(approvalId))
  const answers = await Promise.all([revise(approvalId, { amount: '10.00' }), revise(approvalId, { amount: '20.00' })])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('end with the execution that waits for them', async () => {
  const { id, approvalId } = await waiting()
  payload(await requestChanges(approvalId))
  const operator = await api.person('omar')
  const { revision } = payload<{ revision: number }>(await api.query(operator, 'executions.get', { id }))
  payload(
    await api.mutate(operator, 'executions.cancel', { id, reason: 'No longer needed.', expectedRevision: revision }),
  )
  await reaches(id, 'canceled')
  expect(reason(await revise(approvalId, { amount: '10.00' }))).toBe('conflict')
})

test('of a release are not requested: it is rejected with a reason', async () => {
  const ci = await api.client('ci-pipeline')
  const { approvalId } = payload<{ approvalId: string }>(
    await api.mutate(ci, 'releases.propose', { agentId, version: '1.4.0', environment: 'staging' }),
  )
  expect(reason(await requestChanges(approvalId))).toBe('conflict')
})
