import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'

let api: TestApi | undefined
afterAll(() => api?.close())

// Slower than the 15 seconds for which a client of the protocol waits. `server/agents/known-tools.test.ts` tests the rule.
test('the demo waits for a tool server that starts more slowly than a client’s timeout', async () => {
  const args = [join(import.meta.dirname, '../fakes/late-payments.ts')]
  api = await startApi({}, { payments: { args, env: { START_MS: '17000' } } })
  const { items } = payload<{ items: { name: string; status: string }[] }>(
    await api.query(await api.person('jonas'), 'agents.list', {}),
  )
  expect(items).toMatchObject([{ name: 'refund-assistant', status: 'active' }])
}, 180_000)
