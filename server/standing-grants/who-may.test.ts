import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runtime } from '#server/kernel/runtime.ts'
import { addGroupMember } from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { type Answer, type Calls, callsTo, payload, reason } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type PropertyServer, startPropertyServer } from '#server/testing/properties/server.ts'
import { type PropertyTenant, propertyTenant } from '#server/testing/properties/tenant.ts'
import { apiOf, manifest, publishPolicy } from '#server/testing/properties/world.ts'

// Who proposes and who approves a standing grant: two people of the group, neither of them behind the call, and never one
// person twice. The tenant lets people decide their own requests and lets machines decide, which changes nothing here.

const slug = 'who-may-grant'
const approvers = 'refund-approvers'
const password = 'seven quiet harbour lamps'

let server: PropertyServer
let tenant: PropertyTenant
let api: Calls
let agentId: string
const tokens = new Map<string, string>()
const as = (name: string): string => {
  const token = tokens.get(name)
  if (token === undefined) throw new Error(`${name} is not signed in.`)
  return token
}

beforeAll(async () => {
  server = await startPropertyServer([`ext-${slug}`])
  tenant = await propertyTenant(server, slug)
  api = callsTo(server.baseUrl, { tenants: [] })
  const person = async (name: string, roles: string[], groups: string[]) =>
    tokens.set(name, await tenant.signedIn(name, roles, groups))
  const inviter = ['approver', 'tenant_admin']
  await person('maria', [...inviter, 'developer'], [approvers])
  await person('olga', inviter, [approvers])
  await person('anna', inviter, [approvers, 'change-approvers'])
  await person('jonas', ['approver'], [approvers, 'change-approvers'])
  // In no group: decides as the delegate of jonas alone.
  await person('noa', ['approver'], [])
  tokens.set('bot', await tenant.machine('bot', ['decisions:write']))
  await joinApprovers('bot')
  for (const [host, guest] of [
    ['maria', 'mia'],
    ['olga', 'oli'],
    ['anna', 'nora'],
  ] as const)
    tokens.set(guest, await invited(host, guest))

  const absence = { delegate: 'noa', until: inDays(1), reason: 'On leave.' }
  payload(await api.mutate(as('jonas'), 'delegations.create', absence))
  const loose = { expectedRevision: 1, machineDecisions: 'on', separationOfDuties: 'off' }
  await approveChange(payload(await api.mutate(as('anna'), 'tenants.updateSettings', loose)))

  const maria = apiOf(server.baseUrl, as('maria'))
  const policyId = await publishPolicy(maria, slug)
  // olga owns it.
  const { agentId: id } = await maria.mutate<{ agentId: string }>('agents.create', {
    yaml: await manifest('refunds', slug),
  })
  agentId = id
  const place = { agentId, environment: 'production' }
  const binding = { ...place, policyId, policyVersion: 1, mode: 'enforce' }
  for (const proposal of [
    await maria.mutate<{ approvalId: string }>('policyBindings.propose', binding),
    await maria.mutate<{ approvalId: string }>('releases.propose', { ...place, version: '1.4.0' }),
  ])
    expect(payload(await decide('jonas', proposal.approvalId))).toMatchObject({ status: 'approved' })
}, 180_000)
afterAll(() => server.close())

async function joinApprovers(username: string): Promise<void> {
  const memberId = await tenant.memberId(username)
  await runtime().database.inTenant(tenant.id, async (tx) => {
    const group = await findGroup(tx, tenant.id, approvers)
    await addGroupMember(tx, tenant, group?.id ?? '', memberId)
  })
}

/** An approver of the group whom another member invited, so that both count as one person. */
async function invited(by: string, username: string): Promise<string> {
  const account = { email: `${username}@mail.example`, username, displayName: username, roles: ['viewer'] }
  const { inviteUrl } = payload<{ inviteUrl: string }>(await api.mutate(as(by), 'members.invite', account))
  expect((await new Browser().visit(inviteUrl, { password, again: password })).status).toBe(200)
  await joinApprovers(username)
  const memberId = await tenant.memberId(username)
  await runtime().database.inTenant(tenant.id, (tx) =>
    tx
      .updateTable('members')
      .set({ roles: ['approver'] })
      .where('tenantId', '=', tenant.id)
      .where('id', '=', memberId)
      .execute(),
  )
  return (await signIn(server.baseUrl, slug, username, password)).accessToken
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const decide = (username: string, approvalId: string): Promise<Answer> =>
  api.mutate(as(username), 'approvals.decide', {
    approvalId,
    decision: 'approve',
    decisionAcknowledged: true,
    reason: 'Read and found right.',
  })
const approveChange = async ({ change }: { change: { approvalId: string } }) =>
  expect(payload(await decide('jonas', change.approvalId))).toMatchObject({ status: 'approved' })

/** A refund that maria asked for, for an agent of olga. */
async function asked(): Promise<string> {
  const call = { agentId, environment: 'production', resource: 'payments/issue_refund', arguments: { id: 'A-1001' } }
  return payload<{ approvalId: string }>(await api.mutate(as('maria'), 'approvals.request', call)).approvalId
}
async function approved(): Promise<string> {
  const approvalId = await asked()
  expect(payload(await decide('jonas', approvalId))).toMatchObject({ status: 'approved' })
  return approvalId
}
const propose = (username: string, approvalId: string): Promise<Answer> =>
  api.mutate(as(username), 'approvals.proposeGrant', {
    approvalId,
    terms: { uses: 2, until: inDays(7) },
    reason: 'The same each week.',
  })

test.each(['maria', 'olga', 'mia', 'oli', 'bot', 'noa', 'nora'])('%s can decide the call itself', async (name) => {
  expect(payload(await decide(name, await asked()))).toMatchObject({ status: 'approved' })
})

describe('a proposal is refused', () => {
  let source: string
  beforeAll(async () => {
    source = await approved()
  })
  test.each([
    ['of the requester', 'maria', /asked for this, so someone else must propose it/],
    ['of the agent’s owner', 'olga', /own the agent, so someone else must propose it/],
    ['of another account of the requester', 'mia', /so someone else must propose it/],
    ['of another account of the owner', 'oli', /so someone else must propose it/],
    ['of a machine', 'bot', /Only people can propose/],
    ['of a delegate', 'noa', /Only members of/],
  ])('%s', async (_who, name, message) => {
    const refused = await propose(name, source)
    expect([refused.status, reason(refused)]).toEqual([403, 'not_eligible'])
    expect(refused.text).toMatch(message)
  })
})

describe('a proposal of anna is not approved', () => {
  let grant: { grantId: string; approvalId: string }
  beforeAll(async () => {
    grant = payload(await propose('anna', await approved()))
  })
  test.each([
    ['by herself', 'anna', 'separation_of_duties'],
    ['by another account of hers', 'nora', 'separation_of_duties'],
    ['by the requester of the call', 'maria', 'separation_of_duties'],
    ['by another account of the requester', 'mia', 'separation_of_duties'],
    ['by the agent’s owner', 'olga', 'separation_of_duties'],
    ['by another account of the owner', 'oli', 'separation_of_duties'],
    ['by a machine', 'bot', 'machine_decision'],
    ['by a delegate', 'noa', 'not_eligible'],
  ])('%s', async (_who, name, code) => {
    const refused = await decide(name, grant.approvalId)
    expect([refused.status, reason(refused)]).toEqual([403, code])
  })
  test('and is approved by a second person of the group', async () => {
    expect(payload(await decide('jonas', grant.approvalId))).toMatchObject({ status: 'approved' })
    const { items } = payload<{ items: { id: string; status: string }[] }>(
      await api.query(as('anna'), 'approvals.listGrants', { agentId }),
    )
    expect(items.find(({ id }) => id === grant.grantId)).toMatchObject({ status: 'active' })
  })
})

test('the proposal of another account of anna’s is not approved by anna', async () => {
  const { approvalId } = payload<{ approvalId: string }>(await propose('nora', await approved()))
  expect(reason(await decide('anna', approvalId))).toBe('separation_of_duties')
  expect(payload(await decide('jonas', approvalId))).toMatchObject({ status: 'approved' })
})
