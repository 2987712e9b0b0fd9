import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'

let api: TestApi | undefined
afterAll(() => api?.close())

test('the demo waits for its tool server, longer than anybody else would', async () => {
  const args = [join(import.meta.dirname, '../testing/fakes/late-payments.ts')]
  api = await startApi({}, { payments: { args, env: { START_MS: '17000' } } })
  const { items } = payload<{ items: { name: string; status: string }[] }>(
    await api.query(await api.person('jonas'), 'agents.list', {}),
  )
  expect(items).toMatchObject([{ name: 'refund-assistant', status: 'active' }])
}, 180_000)
