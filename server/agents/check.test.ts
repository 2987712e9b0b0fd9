import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { check } from './check.ts'
import { create } from './create.ts'
import { toolsOffered } from './known-tools.ts'
import { list } from './list.ts'
import { closeToolServers } from './stdio-connections.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
beforeAll(async () => {
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../demo/payments-process.ts')],
    env: {},
    tenants: ['ext-checks'],
  }
  const broken = { ...payments, args: ['-e', 'process.exit(1)'] }
  const hidden = { ...payments, tenants: ['ext-other'] }
  runtime = await testRuntime({ mcpServers: { payments, broken, hidden } })
  tenant = await testTenant(runtime, 'checks')
  maria = await tenant.as('maria', { roles: ['developer'] })
})
afterAll(async () => {
  await closeToolServers()
  await runtime.close()
})

const checked = (yaml: string, caller = maria) => execute(check, caller, { yaml }, { name: 'test' })

test('reports every error of a manifest with its position, without registering it', async () => {
  const yaml = `metadata: { name: waits }
spec:
  runtime:
    steps:
      - { id: one, wait: { input: nowhere } }
      - { id: two, wait: { input: neither } }
`
  const { problems } = await checked(yaml)
  expect(problems.map(({ line }) => line)).toEqual([5, 6])
  expect(await checked('metadata:\n  name: [')).toMatchObject({
    problems: [{ line: expect.any(Number) }],
    warnings: [],
  })
  expect(await checked('')).toMatchObject({ problems: [{ line: 1, column: 1 }] })
  expect(await execute(list, maria, {}, { name: 'test' })).toMatchObject({ items: [] })
})

test('reports an unknown owner with its line', async () => {
  expect(await checked('metadata:\n  name: owned\nspec:\n  owner: unknown@x.example\n')).toMatchObject({
    problems: [{ path: 'spec.owner', line: 4 }],
  })
})

test('reports unknown members as warnings with their position', async () => {
  const answer = await checked('metadata:\n  name: kept\n  "odd.member": 1\nspec:\n  riski: high\n')
  expect(answer.problems).toEqual([])
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'metadata.odd.member', line: 3 }))
  expect(answer.warnings).toContainEqual(expect.objectContaining({ path: 'spec.riski', line: 5 }))
})

test('warnings are in the order of the text and name the member that is missing', async () => {
  const yaml =
    'metadata:\n  name: partial\n  extra: 1\nspec:\n  risk: { tier: extreme }\n  tools:\n    - allow: [refund]\n'
  const { problems, warnings } = await checked(yaml)
  expect(problems).toEqual([])
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '3 Unknown member. It is stored but has no effect.',
    '5 runtime is required.',
    '5 Must be one of low, medium, high, critical, prohibited.',
    '7 mcp is required.',
  ])
})

test('reports a manifest that is too large', async () => {
  expect(await checked(`name: ${'x'.repeat(70_000)}`)).toMatchObject({
    problems: [{ message: expect.stringMatching(/^A manifest can be up to 65536 bytes/) }],
  })
})

test('warns about tools that no server offers, and not about those of a server that does not respond', async () => {
  const yaml = `metadata: { name: tools }
spec:
  runtime: { observe: {} }
  tools:
    - { mcp: { server: payments }, allow: [lookup_order, look_up_order] }
    - { mcp: { server: broken }, allow: [anything] }
    - { mcp: { server: hidden }, allow: [lookup_order] }
    - { mcp: { server: mine, url: "https://tools.example/mcp" }, allow: [anything] }
    - { local: [{ name: Bash }] }
`
  const expected = [
    {
      path: 'spec.tools.0.allow.1',
      message: 'The tool server payments does not offer a tool named look_up_order.',
      line: 5,
      column: 58,
    },
    {
      path: 'spec.tools.2.allow.0',
      message: 'The tool server hidden does not exist or is not available to this tenant.',
      line: 7,
      column: 42,
    },
  ]
  // A process that has just been started may take longer than a check waits for it.
  await toolsOffered(tenant, 'payments')
  expect(await checked(yaml)).toEqual({ problems: [], warnings: expected })
  const { warnings } = await execute(create, maria, { yaml }, { name: 'test' })
  expect(warnings).toEqual(expected.map(({ path, message }) => ({ path, message })))
})

test('warns about approver groups that do not exist, or have too few members who may approve', async () => {
  const of = { roles: ['developer', 'approver'], groups: ['refund-approvers'] }
  for (const name of ['anna', 'jonas']) await tenant.as(name, of)
  const paula = await tenant.as('paula', of)
  const warned = async (approvals: string, name = 'approved') => {
    const yaml = `metadata: { name: ${name} }\nspec:\n  runtime: { observe: {} }\n  governance:\n    approvals: ${approvals}\n`
    const answer = await checked(yaml, paula)
    expect(answer.problems).toEqual([])
    return { yaml, warnings: answer.warnings }
  }
  const few = { path: 'spec.governance.approvals.quorum', line: 5, column: expect.any(Number) }
  const { yaml, warnings } = await warned('{ group: refund-approvers, quorum: 3 }', 'paulas')
  // paula owns the agent that she registers.
  const message = 'Not enough eligible members in refund-approvers: 3 required, 2 eligible.'
  expect(warnings).toEqual([{ ...few, message }])
  const { warnings: registered } = await execute(create, paula, { yaml }, { name: 'test' })
  expect(registered).toEqual([{ path: few.path, message }])
  // The owners of a registered agent count for another member's version of it, too.
  const { warnings: others } = await execute(check, maria, { yaml }, { name: 'test' })
  expect(others).toMatchObject([{ message }])
  const missing = 'The approver group refund-aprovers does not exist. A release needs it.'
  expect((await warned('{ group: refund-aprovers, quorum: 1 }')).warnings).toMatchObject([
    { path: 'spec.governance.approvals.group', line: 5, message: missing },
  ])
  expect((await warned('{ quorum: 5 }')).warnings).toMatchObject([
    { path: 'spec.governance.approvals.quorum', message: expect.stringMatching(/: 5 required, 0 eligible\.$/) },
  ])
  const stages = '{ stages: [{ group: refund-approvers, quorum: 2 }, { group: refund-aprovers }] }'
  expect((await warned(stages)).warnings).toMatchObject([
    { path: 'spec.governance.approvals.stages.1.group', message: missing },
  ])
  for (const name of ['anna-f', 'jonas-f']) await tenant.as(name, { roles: ['approver'], groups: ['finance'] })
  expect((await warned('{ stages: [{ group: refund-approvers, quorum: 2 }, { group: finance }] }')).warnings).toEqual(
    [],
  )
  expect((await warned('{ group: refund-approvers, quorum: 2 }')).warnings).toEqual([])
  expect((await warned('{}')).warnings).toEqual([])
})
