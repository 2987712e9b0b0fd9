import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { callTool, listTools } from '#server/agents/tool-servers.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { withEndpoint } from '#server/executions/runtimes/endpoint.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { create as createSecret } from '#server/secrets/create.ts'
import { setDestinations } from '#server/secrets/set-destinations.ts'
import { SecretRefused } from '#server/secrets/use-value.ts'
import { startModernTools } from '#server/testing/fakes/greeting-server.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { propose } from './propose.ts'
import { revoke } from './revoke.ts'

// A proposal asks the tool servers of its manifest before anyone has approved their addresses. Two real servers record what they
// receive: the tenant's own, and one that a developer would like to have the tenant's secrets.

type Server = Awaited<ReturnType<typeof startModernTools>>

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let developer: Caller
let reader: Caller
let admin: Caller
let approver: Caller
let own: Server
let other: Server
beforeAll(async () => {
  own = await startModernTools()
  other = await startModernTools()
  runtime = await testRuntime({ environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1' } })
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  registerDecisions()
  tenant = await testTenant(runtime)
  developer = await tenant.as('maria', { roles: ['developer'] })
  reader = await tenant.as('rita', { roles: ['developer', 'tenant_admin'] })
  admin = await tenant.as('tom', { roles: ['tenant_admin'] })
  approver = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
})
beforeEach(() => {
  for (const { methods, authorizations } of [own, other]) {
    methods.length = 0
    authorizations.length = 0
  }
})
afterAll(async () => {
  await runtime.close()
  await own.close()
  await other.close()
})

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller: Caller): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const originOf = ({ url }: Server) => new URL(url).origin
const toolsOf = (server: Server, secretRef?: string, name = 'remote') => ({
  mcp: { server: name, url: server.url, ...(secretRef === undefined ? {} : { auth: { secretRef } }) },
  allow: ['greet'],
})
const secret = async (destinations?: string[]) => {
  const name = `secret-${newSpanId()}`
  const made = await run(createSecret, { name, value: `value of ${name}`, destinations }, admin)
  return { name, id: made.secretId, header: `Bearer value of ${name}` }
}
async function proposed(spec: JsonObject, caller = developer) {
  const yaml = JSON.stringify({ metadata: { name: `agent-${newSpanId()}`, version: '1' }, spec })
  const { agentId } = await run(createAgent, { yaml }, caller)
  return run(propose, { agentId, version: '1', environment: 'production' }, caller)
}
const steps = [{ id: 'greet', tool: { server: 'remote', name: 'greet', arguments: { name: 'Ada' } } }]
const proposal = (caller: Caller, ...tools: object[]) => proposed({ runtime: { steps }, tools } as JsonObject, caller)
const vote = (approvalId: string, decision: 'approve' | 'reject' = 'approve') =>
  run(decideApproval, { approvalId, decision, decisionAcknowledged: true, reason: 'Read it.' }, approver)
const refusal = (server: Server, name: string) => ({
  code: 'not_ready',
  message: `The secret ${name} may not be sent to ${originOf(server)} before this address is approved: ask a tenant administrator to add it to the secret’s destinations.`,
})
const uses = async (id: string) =>
  (
    await runtime.database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select('record')
        .where('tenantId', '=', tenant.id)
        .where('type', '=', 'secret.value_used')
        .orderBy('seq')
        .execute(),
    )
  )
    .map(({ record }) => record as { actor: object; resource: { id: string }; details: object; requestId?: string })
    .filter(({ resource }) => resource.id === id)
const expectNothingSent = () => expect([own.methods, other.methods]).toEqual([[], []])

describe('a secret without destinations', () => {
  test('is not sent for a developer, to any of the manifest’s servers', async () => {
    const { name, id } = await secret()
    await expect(proposal(developer, toolsOf(other, name))).rejects.toMatchObject(refusal(other, name))
    await expect(proposal(developer, toolsOf(own, undefined, 'first'), toolsOf(other, name))).rejects.toMatchObject(
      refusal(other, name),
    )
    expectNothingSent()
    expect(await uses(id)).toEqual([])
  })

  test('is sent for a proposer who may read it, and the record names them', async () => {
    const { name, id, header } = await secret()
    await proposal(reader, toolsOf(own, name))
    expect(new Set(own.authorizations)).toEqual(new Set([header]))
    const { memberId, username } = reader.principal
    expect(await uses(id)).toMatchObject([
      {
        actor: { type: 'person', id: memberId, name: username },
        details: { name, destination: originOf(own) },
        requestId: reader.requestId,
      },
    ])
  })

  test('is sent for a developer where people have approved it before, also after that release has ended', async () => {
    const { name, id, header } = await secret()
    const tools = toolsOf(own, name)
    const first = await proposal(reader, tools)
    await expect(proposal(developer, tools)).rejects.toMatchObject(refusal(own, name))
    await vote(first.approvalId)
    own.authorizations.length = 0
    await proposal(developer, tools)
    expect(new Set(own.authorizations)).toEqual(new Set([header]))
    expect((await uses(id)).at(-1)).toMatchObject({ actor: { id: developer.principal.memberId } })
    await expect(proposal(developer, toolsOf(other, name))).rejects.toMatchObject(refusal(other, name))
    const operator = await tenant.as('oleg', { roles: ['operator'] })
    await run(revoke, { id: first.releaseId, expectedRevision: 2, reason: 'Replaced.' }, operator)
    await expect(proposal(developer, tools)).resolves.toMatchObject({ status: 'proposed' })
    expect(other.methods).toEqual([])
  })

  test('is not sent after a rejected release, or after one that names the address where no reviewer reads it', async () => {
    const { name } = await secret()
    const tools = toolsOf(own, name)
    await vote((await proposal(reader, tools)).approvalId, 'reject')
    const hidden = { runtime: { steps }, tools: [toolsOf(own)], remarks: { url: own.url, auth: { secretRef: name } } }
    await vote((await proposed(hidden as JsonObject)).approvalId)
    own.methods.length = 0
    await expect(proposal(developer, tools)).rejects.toMatchObject(refusal(own, name))
    expectNothingSent()
  })

  test('is sent where people have approved it for a model', async () => {
    const { name, header } = await secret()
    const chat = { endpoint: `${originOf(own)}/v1`, model: 'small', prompt: 'Hello', auth: { secretRef: name } }
    await vote((await proposed({ runtime: { chat } })).approvalId)
    await proposal(developer, toolsOf(own, name))
    expect(new Set(own.authorizations)).toEqual(new Set([header]))
  })
})

test('a name without a secret gets the same refusal, so that names can’t be guessed', async () => {
  await expect(proposal(developer, toolsOf(other, 'nowhere'))).rejects.toMatchObject(refusal(other, 'nowhere'))
  const bound = await secret([originOf(own)])
  await expect(proposal(developer, toolsOf(other, bound.name))).rejects.toMatchObject(refusal(other, bound.name))
  expectNothingSent()
  await expect(proposal(reader, toolsOf(other, 'nowhere'))).rejects.toMatchObject({
    code: 'not_ready',
    message: 'The secret nowhere does not exist or is no longer valid.',
  })
})

describe('a secret with destinations', () => {
  test('is sent there for a developer', async () => {
    const { name, id, header } = await secret(['https://crm.example', originOf(own)])
    await proposal(developer, toolsOf(own, name))
    expect(new Set(own.authorizations)).toEqual(new Set([header]))
    expect(await uses(id)).toMatchObject([{ actor: { id: developer.principal.memberId, type: 'person' } }])
  })

  test('is sent nowhere else: not for a proposer who may read it, and not in executions of approved releases', async () => {
    const { name, id } = await secret()
    const { approvalId } = await proposal(reader, toolsOf(own, name))
    await vote(approvalId)
    const server = { server: 'remote', url: own.url, secretRef: name }
    const [released] = await listTools(tenant, { server: 'remote', url: own.url })
    if (released === undefined) throw new Error('The server lists no tool.')
    const call = { server, released, arguments: { name: 'Ada' }, idempotencyKey: 'one', timeoutMs: 10_000 }
    const greet = () => callTool(tenant, call)
    const model = () =>
      withEndpoint(tenant, { url: own.url, secretRef: name, idleMs: 1000 }, () => Promise.resolve('ran'))
    expect(await greet()).toMatchObject({ ok: true })
    expect(await model()).toBe('ran')
    await run(setDestinations, { id, destinations: ['https://crm.example'], expectedRevision: 1 }, admin)
    own.methods.length = 0
    const before = await uses(id)
    const why = `The secret ${name} may not be sent to ${originOf(own)}: ask a tenant administrator to add this address to the secret’s destinations.`
    await expect(proposal(reader, toolsOf(own, name))).rejects.toMatchObject({ code: 'not_ready', message: why })
    expect(JSON.stringify(await greet())).toContain(why)
    await expect(model()).rejects.toThrow(new SecretRefused(why))
    expectNothingSent()
    expect(await uses(id)).toEqual(before)
  })
})
