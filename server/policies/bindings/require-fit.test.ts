import { afterAll, beforeAll, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { json } from '#server/kernel/db/json.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { keepToolSchemas } from '#server/policies/language/tenant-schema.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { listBindings } from './list.ts'
import { proposeBinding } from './propose.ts'

// Rules are checked against the tool schemas that the agent's release pins, before an approval is requested.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
let policyId: string

const team = `team-${newSpanId()}`
const schema = (amount: string) => ({ type: 'object', properties: { amount: { type: amount } } })
const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown): Promise<O> =>
  execute(operation, maria, input, { name: 'test' })

/** An agent of the team whose active release pins bank/pay with an amount of this type. */
async function released(environment: string, amount: string): Promise<{ id: string; name: string }> {
  const yaml = JSON.stringify({ metadata: { name: `agent-${newSpanId()}`, labels: { team } } })
  const { agent } = await run(createAgent, { yaml })
  const content = { tools: [{ server: 'bank', name: 'pay', inputSchema: schema(amount) }] }
  await runtime.database.inTenant(tenant.id, (tx) =>
    tx
      .insertInto('releases')
      .values({
        tenantId: tenant.id,
        id: newId(),
        agentId: agent.id,
        agentVersionId: agent.versionId,
        environment,
        digest: `sha256:${'0'.repeat(64)}`,
        content: json(content),
        approvalId: newId(),
        proposedBy: maria.principal.memberId,
        status: 'active',
      })
      .execute(),
  )
  return agent
}

beforeAll(async () => {
  runtime = await testRuntime()
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  tenant = await testTenant(runtime)
  maria = await tenant.as('maria', { roles: ['developer'] })
  await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  const pay = { server: 'bank', name: 'pay', digest: `sha256:${'a'.repeat(64)}`, inputSchema: schema('number') }
  await runtime.database.inTenant(tenant.id, (tx) => keepToolSchemas(tx, tenant.id, [pay]))
  policyId = (await run(createPolicy, { name: 'payments' })).id
  const source = `@id("all") permit (principal, action, resource);
@id("ceiling") forbid (principal, action == Countersign::Action::"bank/pay", resource)
when { context.arguments has amount && context.arguments.amount.greaterThan(decimal("5.0")) };`
  await run(createVersion, { policyId, source })
  await run(publishVersion, { policyId, version: 1 })
})
afterAll(() => runtime.close())

const propose = (target: object, environment: string) =>
  run(proposeBinding, { ...target, environment, policyId, policyVersion: 1 })
const misfit = {
  code: 'invalid_policy',
  status: 400,
  issues: [{ path: 'source', line: 3, column: expect.any(Number) }],
}

test('rejects a rule that contradicts the pinned schema with its position, without requesting an approval', async () => {
  const agent = await released('production', 'boolean')
  const refused = propose({ agentId: agent.id }, 'production')
  await expect(refused).rejects.toMatchObject(misfit)
  await expect(refused).rejects.toThrow(`active release of ${agent.name} pins in production: Line 3, column`)
  expect((await run(listBindings, { agentId: agent.id })).items).toEqual([])
  // The agent is not released in this environment, so the current tools count.
  expect(await propose({ agentId: agent.id }, 'staging')).toMatchObject({ status: 'proposed' })
})

test('checks a binding by labels against every release with these labels', async () => {
  const selector = { team }
  await released('test', 'number')
  expect(await propose({ selector }, 'test')).toMatchObject({ status: 'proposed' })
  const other = await released('test', 'string')
  await expect(propose({ selector }, 'test')).rejects.toMatchObject(misfit)
  await expect(propose({ selector }, 'test')).rejects.toThrow(other.name)
})
