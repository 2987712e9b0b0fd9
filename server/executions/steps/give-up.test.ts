import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { decide } from '#server/approvals/decide.ts'
import { get as getApproval } from '#server/approvals/get.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { startCall } from '#server/executions/gateway/start-call.ts'
import { get as getExecution } from '#server/executions/get.ts'
import { advanceExecutions } from '#server/executions/jobs.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'

// An execution that no worker could advance ends, and with it what people were asked for.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
let jonas: Caller
const environment = 'production'
const policy = `@id("all") permit (principal, action in Countersign::Action::"ToolCall", resource);
@id("ask") @obligation("approval") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource)
unless { context.fulfilled.contains("approval:ask") };`

beforeAll(async () => {
  const command = join(import.meta.dirname, '../../demo/payments-process.ts')
  const payments = { command: process.execPath, args: [command], env: {}, tenants: ['ext-given-up'] }
  running = await testRuntime({ mcpServers: { payments } })
  registerDecisions()
  await running.queue.work([advanceExecutions, expiry])
  tenant = await testTenant(running, 'given-up')
  maria = await tenant.as('maria', { roles: ['developer'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
})
afterAll(async () => {
  await closeToolServers()
  await closeEngine()
  await running.close()
})

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = maria): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const approve = ({ approvalId }: { approvalId: string }) =>
  run(decide, { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read it.' }, jonas)

async function releasedAgent(): Promise<string> {
  const yaml = (await readFile(join(import.meta.dirname, '../../demo/refund-assistant.yaml'), 'utf8'))
    .replace('owner: maria@northwind.example', 'x-owner: none')
    .replaceAll('refund-approvers', 'change-approvers')
    .replace('requireApproval: [issue_refund]', 'requireApproval: []')
  const { agentId } = await run(createAgent, { yaml })
  const { id: policyId } = await run(createPolicy, { name: 'given-up' })
  await run(createVersion, { policyId, source: policy })
  await run(publishVersion, { policyId, version: 1 })
  await approve(await run(proposeBinding, { agentId, environment, policyId, policyVersion: 1 }))
  await approve(await run(proposeRelease, { agentId, version: '1.4.0', environment }))
  return agentId
}

test('an execution that is given up withdraws the request that it waits for', async () => {
  const agentId = await releasedAgent()
  const args = { id: 'A-1001', amount: '500.00', currency: 'EUR' }
  const call = { agentId, environment, server: 'payments', tool: 'issue_refund', arguments: args }
  const { executionId: id } = await run(startCall, call)
  const approvalId = await until(async () => {
    const { items } = await run(getPending, { limit: 10 }, jonas)
    return items[0]?.approvalId
  }, 'the call waits for a reviewer')
  // The retries of its job are over.
  await advanceExecutions.run({ tenantId: tenant.id, id }, 15)
  const { status, steps } = await run(getExecution, { id })
  expect([status, steps.map((step) => step.status)]).toEqual(['failed', ['skipped']])
  const { canceled, ...approval } = await run(getApproval, { approvalId }, jonas)
  expect([approval.status, canceled?.by.kind]).toEqual(['canceled', 'agent'])
  expect((await run(getPending, { limit: 10 }, jonas)).items).toEqual([])
})
