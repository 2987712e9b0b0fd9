import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// The limits of a manifest.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

const lookUp = { id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1001' } } }

test('runs at most `concurrency` executions per agent and starts the next when one ends or waits', async () => {
  const executions = executionsOf(api)
  const agentId = await releaseAgent(api, 'limit-two', {
    steps: [lookUp, { id: 'ok', wait: { input: 'go' } }],
    tools: { payments: ['lookup_order'] },
    more: { limits: { concurrency: 2 }, inputs: [{ name: 'go' }] },
  })
  const hold = join(api.gate, 'hold-lookup_order')
  await writeFile(hold, '')
  const ids = await Promise.all(Array.from({ length: 5 }, () => executions.start(agentId, {})))
  const called = async () =>
    (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => ids.some((id) => line === `called lookup_order ${id}:order`)).length
  await until(async () => ((await called()) === 2 ? true : undefined), 'two run')
  const statuses = async () => (await Promise.all(ids.map(executions.get))).map(({ status }) => status).sort()
  expect(await statuses()).toEqual(['queued', 'queued', 'queued', 'running', 'running'])
  await rm(hold)
  // Waiting executions give up their slot although they have not ended.
  await until(
    async () => ((await statuses()).every((status) => status === 'waiting_input') ? true : undefined),
    'all of them reached their wait',
  )
  expect(await called()).toBe(5)
})

test('ends a call that exceeds `timeout` as indeterminate', async () => {
  const executions = executionsOf(api)
  const agentId = await releaseAgent(api, 'limit-time', {
    steps: [lookUp, { ...lookUp, id: 'again' }],
    tools: { payments: ['lookup_order'] },
    more: { limits: { timeout: 'PT1S' } },
  })
  const hold = join(api.gate, 'hold-lookup_order')
  await writeFile(hold, '')
  const { status, error, steps } = await executions.ended(await executions.start(agentId, {}), 50_000)
  await rm(hold)
  expect([status, error?.code]).toEqual(['indeterminate', 'outcome_unknown'])
  expect(steps.find((step) => step.id === 'again')?.status).toBe('pending')
}, 60_000)
