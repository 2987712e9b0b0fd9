import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { guestName } from '#server/access/operator.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { toolsOffered } from '#server/agents/known-tools.ts'
import { execute as startExecution } from '#server/executions/execute.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { writeDurably } from '#server/kernel/db/embedded/durable-file.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { createMember } from '#server/tenants/create-tenant.ts'
import { findMemberByUsername, listTenants } from '#server/tenants/store.ts'
import { call, callerOf } from './act-as.ts'
import { approve, environment } from './company/set-up.ts'
import { makeMembers, makeTenant, type TenantCredentials } from './make-tenant.ts'
import { seedLock } from './store.ts'
import { type DemoTenant, demoClients, demoGuests, demoTenants, demoUsers } from './tenants.ts'

/**
 * Fills an empty database with the demo tenants and drives the real operations, under the demo's identities, until
 * northwind has an execution that waits for jonas. Credentials are random and written once, to a file that only the
 * operator reads; a database with a tenant in it is left alone.
 */
export async function seedDemo(say: (line: string) => void): Promise<void> {
  const { config, database } = runtime()
  const path = join(config.dataDir, 'demo-credentials.json')
  const made = await database.inDirectory(async (tx) => {
    // If two processes start first concurrently, the second waits here and then finds the tenants.
    await seedLock(tx)
    if ((await listTenants(tx)).length > 0) return false
    const tenants: TenantCredentials[] = []
    for (const tenant of demoTenants) tenants.push(await createDemoTenant(tx, tenant))
    for (const guest of demoGuests) await joinDemoTenant(tx, guest, tenants)
    // Written before the commit: a crash leaves a file without tenants (which is replaced), never tenants without their file.
    await writeDurably(
      path,
      `${JSON.stringify({ baseUrl: config.baseUrl, authUrl: config.authUrl, tenants }, null, 2)}\n`,
    )
    return true
  })
  if (made) await driveRefundCase('northwind')
  if (existsSync(path)) say(`Demo tenants northwind and globex; credentials: ${path}`)
}

async function createDemoTenant(tx: Transaction, demo: DemoTenant): Promise<TenantCredentials> {
  const { mailDomain, ...base } = demo
  const tenant = { id: newRandomId(), ...base }
  await bindTenant(tx, tenant.id)
  await makeTenant(tx, tenant)
  const groups = [{ name: 'refund-approvers', displayName: 'Refund approvers' }]
  return await makeMembers(tx, tenant, { mailDomain, groups, users: demoUsers, clients: demoClients })
}

/** The same principal (issuer and subject) in a second tenant, with the roles that it has there. */
async function joinDemoTenant(
  tx: Transaction,
  guest: (typeof demoGuests)[number],
  tenants: readonly TenantCredentials[],
): Promise<void> {
  const [home, tenant] = [guest.home, guest.tenant].map((slug) => tenants.find((one) => one.slug === slug))
  if (home === undefined || tenant === undefined) throw new Error('A demo tenant is missing.')
  await bindTenant(tx, home.id)
  const { issuer, subject, displayName } = await findMemberByUsername(tx, home.id, guest.username)
  await bindTenant(tx, tenant.id)
  await createMember(tx, tenant, {
    issuer,
    subject,
    kind: 'person',
    username: guestName(guest.username, guest.home),
    displayName,
    roles: guest.roles,
  })
}

/** The newcomer's case: a refund agent, governed and released, and one execution that waits for a person. */
async function driveRefundCase(slug: string): Promise<void> {
  const ci = await memberOf(slug, 'ci-pipeline')
  // A policy is checked against the available tools, and on a slow machine the demo's tool server starts slowly.
  await toolsOffered(ci.tenant, 'payments')
  const jonas = await memberOf(slug, 'jonas')
  const maria = await memberOf(slug, 'maria')
  const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

  const { agent } = await call(createAgent, ci, 'agents.create', { yaml: await read('./refund-assistant.yaml') })
  const policy = await call(createPolicy, ci, 'policies.create', {
    name: 'refund-policy',
    description: 'What the refund assistant may do, and when a person must decide.',
  })
  const source = await read('./refund-policy.cedar')
  const version = await call(createVersion, ci, 'policies.createVersion', { policyId: policy.id, source })
  await call(publishVersion, ci, 'policies.publishVersion', { policyId: policy.id, version: version.version })
  const binding = await call(proposeBinding, ci, 'policyBindings.propose', {
    agentId: agent.id,
    environment,
    policyId: policy.id,
    policyVersion: version.version,
    mode: 'enforce',
  })
  await approve(jonas, binding.approvalId, 'The policy requires a person to approve each refund.')
  const release = await call(proposeRelease, ci, 'releases.propose', {
    agentId: agent.id,
    version: agent.version,
    environment,
  })
  await approve(jonas, release.approvalId, 'Manifest and tools reviewed.')
  await call(startExecution, maria, 'executions.execute', {
    agentId: agent.id,
    environment,
    input: { orderId: 'A-1001' },
  })
}

/** A member of the tenant with this slug. */
async function memberOf(slug: string, username: string): Promise<Caller> {
  const row = (await runtime().database.inDirectory(listTenants)).find((tenant) => tenant.slug === slug)
  if (row === undefined) throw new Error(`The tenant ${slug} does not exist.`)
  return await callerOf(row.id, username)
}
