import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { checkPolicy } from '#server/policies/engine/check-policy.ts'
import { tenantSchema } from '#server/policies/language/tenant-schema.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'

// The demo policy is written for the tool schemas that the demo's tool server reports.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let schema: string
let source: string
beforeAll(async () => {
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../../demo/payments-process.ts')],
    env: {},
    tenants: ['ext-demo'],
  }
  runtime = await testRuntime({ mcpServers: { payments } })
  tenant = await testTenant(runtime, 'demo')
  schema = await tenantSchema(tenant)
  source = await readFile(join(import.meta.dirname, '../../demo/refund-policy.cedar'), 'utf8')
})
afterAll(async () => {
  await closeToolServers()
  await runtime.close()
})

test('the demo policy passes every check', async () => {
  expect(await checkPolicy(tenant.id, source, schema)).toEqual([])
})

test('the schema has an action with its own arguments for each tool of the tenant', () => {
  expect(schema).toContain('action "payments/issue_refund" in [ToolCall]')
  expect(schema).toContain('"arguments": { "id": String, "amount"?: decimal, "currency"?: String }')
})

test('a check reports undeclared arguments with line and column in characters', async () => {
  const rule = (condition: string) =>
    `@id("x") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { ${condition} };`
  const [issue] = await checkPolicy(
    tenant.id,
    `// Größe €\n${rule('"é" == "é" && context.arguments.amuont == "5"')}`,
    schema,
  )
  expect(issue?.message).toContain('amuont')
  expect(issue).toMatchObject({ path: 'source', line: 2, column: rule('').indexOf('when {') + 22 })
  const [unsafe] = await checkPolicy(tenant.id, rule('context.arguments.amount.lessThan(decimal("5.0"))'), schema)
  expect(unsafe?.message).toContain('optional')
  const [mistyped] = await checkPolicy(tenant.id, rule('context.arguments.id > 5'), schema)
  expect(mistyped?.message).toContain('String')
  const unknown = rule('true').replace('issue_refund', 'isue_refund')
  expect((await checkPolicy(tenant.id, unknown, schema))[0]?.message).toContain('payments/issue_refund')
})

test('a check rejects a rule for all tools that reads an argument only some of them declare', async () => {
  const rule = (condition: string) =>
    `@id("x") forbid (principal, action in Countersign::Action::"ToolCall", resource) when { ${condition} };`
  expect(await checkPolicy(tenant.id, rule('context.arguments.id == "5"'), schema)).not.toEqual([])
  expect(await checkPolicy(tenant.id, rule('context.arguments has id && context.arguments.id == "5"'), schema)).toEqual(
    [],
  )
})

test('the schema uses the released tools of a server that does not respond', async () => {
  const kept = { server: 'crm', name: 'find', digest: `sha256:${'a'.repeat(64)}` }
  const inputSchema: JsonObject = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] }
  const { keepToolSchemas } = await import('#server/policies/language/tenant-schema.ts')
  await runtime.database.inTenant(tenant.id, (tx) => keepToolSchemas(tx, tenant.id, [{ ...kept, inputSchema }]))
  expect(await tenantSchema(tenant)).toContain('action "crm/find" in [ToolCall]')
  expect(await tenantSchema(await testTenant(runtime))).not.toContain('crm/find')
})
