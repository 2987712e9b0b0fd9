import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// For any response of a tool server at any time, the execution ends and reports the state of the call.

let api: TestApi
let owner: Client
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  const hostile = join(import.meta.dirname, '../testing/fakes/hostile-tools.ts')
  api = await startApi({}, { hostile: [hostile] })
  executions = executionsOf(api)
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const refundWaits = async (id: string) =>
  until(async () => {
    const { status, steps } = await executions.get(id)
    return status === 'waiting_approval' ? (steps.find((step) => step.id === 'refund')?.approvalId ?? '') : undefined
  }, `${id} waits`)

describe('a tool answers', () => {
  let agentId: string
  beforeAll(async () => {
    agentId = await releaseAgent(api, 'hostile', {
      steps: [
        { id: 'probe', tool: { server: 'hostile', name: 'probe', arguments: { case: `\${input.case}` } } },
        { id: 'echo', tool: { server: 'hostile', name: 'echo', arguments: { value: `\${steps.probe.output.value}` } } },
      ],
      tools: { hostile: ['probe', 'echo'] },
    })
  })

  test.each([
    ['nul', { value: { 'a\ufffdb': 'c\ufffdd' } }],
    ['surrogate', { value: { '\ufffd': 'x\ufffd' } }],
    [
      'prototype',
      { value: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null}') },
    ],
  ])('with %s: characters the database cannot store are replaced, the rest is kept', async (name, output) => {
    expect(await executions.run(agentId, { case: name })).toMatchObject({
      status: 'succeeded',
      output,
    })
  })

  test.each([
    ['error-cut', /^hostile\.probe: x{499}\ufffd$/],
    ['error-nul', /^hostile\.probe: no\ufffdthing$/],
    ['large', /larger than 1048576 bytes/],
    ['nested', /more than 100 levels/],
  ])('with %s: the call fails and is not retried', async (name, message) => {
    const { status, error } = await executions.run(agentId, { case: name })
    expect([status, error?.code]).toEqual(['failed', 'tool_failed'])
    expect(error?.message).toMatch(message)
  })

  test('with a number that JSON cannot represent exactly: the answer is not passed on', async () => {
    expect(await executions.run(agentId, { case: 'large-number' })).toMatchObject({
      status: 'denied',
      error: { code: 'request_invalid' },
    })
  })
})

test('a late answer is recorded in the audit log without changing the ended execution', async () => {
  const id = await executions.start(await releaseRefundAgent(api, 'late-answer'), { orderId: 'A-1003' })
  const approvalId = await refundWaits(id)
  const hold = join(api.gate, 'hold-issue_refund')
  await writeFile(hold, '')
  await approve(api, approvalId)
  await until(async () => {
    const calls = await readFile(join(api.gate, 'calls.log'), 'utf8')
    return calls.includes(`called issue_refund ${id}:refund`) ? true : undefined
  }, 'the call started')
  // The same as a stop: the call can no longer be withdrawn.
  await owner.query(
    `update executions set status = 'canceled', ended_at = now(), revision = revision + 1 where id = $1`,
    [id],
  )
  await rm(hold)
  const auditor = await api.person('vera')
  await until(async () => {
    const { text } = await api.query(auditor, 'audit.list', { limit: 50 })
    return text.includes('tool.returned_late') ? true : undefined
  }, 'the answer was recorded')
  expect((await executions.get(id)).status).toBe('canceled')
})

test('an execution that cannot be advanced ends as failed', async () => {
  const id = await executions.start(await releaseRefundAgent(api, 'given-up'), { orderId: 'A-1003' })
  const approvalId = await refundWaits(id)
  await owner.query(`update execution_steps set decision_id = gen_random_uuid() where execution_id = $1`, [id])
  await approve(api, approvalId)
  // Simulates ten minutes of retries.
  await until(async () => {
    const { rowCount } = await owner.query(
      `update pgboss.job set retry_count = 20, start_after = now()
       where name = 'executions' and singleton_key = $1 and state = 'retry'`,
      [id],
    )
    return rowCount === 1 ? true : undefined
  }, 'it was tried once')
  expect(await executions.ended(id)).toMatchObject({ status: 'failed', error: { code: 'internal' } })
})
