import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDawdlingTools } from '#server/testing/fakes/dawdling-tools.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { callTool, describedTool, listTools } from './tool-servers.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
beforeAll(async () => {
  runtime = await testRuntime({ environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1' } })
  tenant = await testTenant(runtime)
})
afterAll(() => runtime.close())

test('a server that never ends its answer to the end of a session holds nothing', async () => {
  const { url, close } = await startDawdlingTools({ endless: false, pageMs: 0 })
  expect(await listTools(tenant, { server: 'dawdling', url })).toMatchObject([{ name: 'tool-1' }])
  await close()
}, 60_000)

test('a server whose list of tools never ends does not hold a call beyond the time that the call has', async () => {
  const { url, asked, close } = await startDawdlingTools({ endless: true, pageMs: 200 })
  const released = describedTool('dawdling', { name: 'tool-1', inputSchema: { type: 'object' } })
  const call = { server: { server: 'dawdling', url }, released, arguments: {}, idempotencyKey: 'k', timeoutMs: 1000 }
  expect(await callTool(tenant, call)).toMatchObject({
    ok: false,
    text: 'The tool server dawdling did not list its tools.',
  })
  // The library alone ends a list after 64 pages.
  expect(asked.pages).toBeLessThan(10)
  await close()
}, 60_000)
