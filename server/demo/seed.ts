import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { permissionsOf } from '#lib/permissions.ts'
import { guestName } from '#server/access/operator.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { toolsOffered } from '#server/agents/known-tools.ts'
import { decide } from '#server/approvals/decide.ts'
import { execute as startExecution } from '#server/executions/execute.ts'
import { createRealm, createRealmUser, createServiceClient } from '#server/identity/realms/create-realm.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { writeDurably } from '#server/kernel/db/embedded/durable-file.ts'
import { newId, newRandomId, newSecret } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { addGroupMember, createGroup, createMember, createTenant } from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { findMemberByUsername, findTenantBySlug, listTenants } from '#server/tenants/store.ts'
import { seedLock } from './store.ts'
import { type DemoTenant, demoClients, demoGuests, demoTenants, demoUsers } from './tenants.ts'

const environment = 'production'

type TenantCredentials = {
  slug: string
  externalId: string
  id: string
  users: { username: string; displayName: string; password: string; roles: string[] }[]
  clients: { clientId: string; clientSecret: string; roles: string[] }[]
}

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
    for (const guest of demoGuests) await joinDemoTenant(tx, guest)
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
  await createTenant(tx, tenant)
  await createRealm(tx, tenant)
  const refundApprovers = await createGroup(tx, tenant, 'refund-approvers', 'Refund approvers')
  const members = new Map<string, string>()
  const users: TenantCredentials['users'] = []
  for (const { username, displayName, roles, groups } of demoUsers) {
    const password = newSecret().slice(0, 20)
    const email = `${username}@${mailDomain}`
    const { userId } = await createRealmUser(tx, tenant, { username, displayName, email, password })
    const memberId = await createMember(tx, tenant, {
      issuer: issuerOf(tenant.slug),
      subject: userId,
      kind: 'person',
      username,
      displayName,
      email,
      roles,
    })
    members.set(username, memberId)
    for (const name of groups)
      await addGroupMember(tx, tenant, await groupId(tx, tenant.id, name, refundApprovers), memberId)
    users.push({ username, displayName, password, roles })
  }
  const clients: TenantCredentials['clients'] = []
  for (const { clientId, displayName, roles, createdBy } of demoClients) {
    const { clientSecret } = await createServiceClient(tx, tenant, { clientId })
    const person = createdBy === undefined ? undefined : members.get(createdBy)
    await createMember(tx, tenant, {
      issuer: issuerOf(tenant.slug),
      subject: clientId,
      kind: 'service_account',
      username: clientId,
      displayName,
      roles,
      createdBy: person,
    })
    clients.push({ clientId, clientSecret, roles })
  }
  return { slug: tenant.slug, externalId: tenant.externalId, id: tenant.id, users, clients }
}

/** The same principal (issuer and subject) in a second tenant, with the roles that it has there. */
async function joinDemoTenant(tx: Transaction, guest: (typeof demoGuests)[number]): Promise<void> {
  const [home, tenant] = [await findTenantBySlug(tx, guest.home), await findTenantBySlug(tx, guest.tenant)]
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

async function groupId(tx: Transaction, tenantId: string, name: string, refundApprovers: string): Promise<string> {
  if (name === 'refund-approvers') return refundApprovers
  const group = await findGroup(tx, tenantId, name)
  if (group === undefined) throw new Error(`The tenant does not have a group ${name}.`)
  return group.id
}

/** The newcomer's case: a refund agent, governed and released, and one execution that waits for a person. */
async function driveRefundCase(slug: string): Promise<void> {
  const ci = await callerOf(slug, 'ci-pipeline')
  // A policy is checked against the available tools, and on a slow machine the demo's tool server starts slowly.
  await toolsOffered(ci.tenant, 'payments')
  const jonas = await callerOf(slug, 'jonas')
  const maria = await callerOf(slug, 'maria')
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

const approve = (caller: Caller, approvalId: string, reason: string) =>
  call(decide, caller, 'approvals.decide', { approvalId, decision: 'approve', decisionAcknowledged: true, reason })

const call = <I, O>(operation: Operation<I, O>, caller: Caller, name: string, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name })

/** A demo principal as the transports would make it. */
async function callerOf(slug: string, username: string): Promise<Caller> {
  const { database } = runtime()
  const row = (await database.inDirectory(listTenants)).find((tenant) => tenant.slug === slug)
  if (row === undefined) throw new Error(`The tenant ${slug} does not exist.`)
  return await database.inTenant(row.id, async (tx) => {
    const tenant = await tenantById(tx, row.id)
    const member = await findMemberByUsername(tx, tenant.id, username)
    return {
      tenant,
      requestId: newId(),
      principal: {
        memberId: member.id,
        kind: member.kind === 'person' ? 'person' : 'service_account',
        issuer: member.issuer,
        subject: member.subject,
        username: member.username,
        displayName: member.displayName,
        roles: member.roles,
        permissions: permissionsOf(member.roles),
        expiresAt: Date.now() + 60_000,
      },
    }
  })
}
