import type { Branding } from '#lib/schemas/tenants.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { recordKey } from '#server/kernel/keys/key-record.ts'
import { createSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { proveByOperator } from './account-control.ts'
import { insertGroup, insertGroupMember } from './group-store.ts'
import { insertMember, insertSponsor, insertTenant } from './store.ts'

export type NewTenant = {
  id: string
  slug: string
  externalId: string
  name: string
  displayName: string
  branding: Branding
  /** The interval by which the clock of a demo tenant is behind: `tx` is then a transaction of the database's owner. */
  clockBehind?: string
}

/**
 * Creates a tenant with its log and evidence keys and the two approver groups that every tenant has. `tx` must be bound
 * to the new tenant's id. The identity domain creates the realm.
 */
export async function createTenant(tx: Transaction, tenant: NewTenant): Promise<void> {
  await insertTenant(tx, tenant)
  await createSigningKey(tx, tenant.id, 'log')
  await createSigningKey(tx, tenant.id, 'evidence')
  await createGroup(tx, tenant, 'change-approvers', 'Change approvers')
  await createGroup(tx, tenant, 'escalation', 'Escalation')
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'tenant.created',
    resource: { type: 'tenant', id: tenant.id },
    details: { slug: tenant.slug, externalId: tenant.externalId, name: tenant.name },
  })
  await recordKey(tx, tenant, 'log')
  await recordKey(tx, tenant, 'evidence')
}

export async function createGroup(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  name: string,
  displayName: string,
): Promise<string> {
  const id = newId()
  if (!(await insertGroup(tx, { tenantId: tenant.id, id, name, displayName })))
    throw new Error(`The tenant already has a group named ${name}.`)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'group.created',
    resource: { type: 'group', id },
    details: { name },
  })
  return id
}

export async function addGroupMember(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  groupId: string,
  memberId: string,
): Promise<void> {
  await insertGroupMember(tx, { tenantId: tenant.id, groupId, memberId })
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'group.member_added',
    resource: { type: 'group', id: groupId },
    details: { memberId },
  })
}

/** Makes a principal a member, on the operator's behalf. A service account names the person who created it: the two count as one identity. */
export async function createMember(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  member: {
    issuer: string
    subject: string
    kind: 'person' | 'service_account'
    username: string
    displayName: string
    email?: string
    roles: string[]
    createdBy?: string
  },
): Promise<string> {
  const id = newId()
  const { email, createdBy, ...row } = member
  await insertMember(tx, { tenantId: tenant.id, id, ...row, email: email ?? null, status: 'active' })
  if (row.kind === 'person') await proveByOperator(tx, tenant.id, row, 'created')
  if (createdBy !== undefined)
    await insertSponsor(tx, { tenantId: tenant.id, memberId: id, personId: createdBy, link: 'created' })
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'member.created',
    resource: { type: 'member', id },
    details: { username: member.username, kind: member.kind, roles: member.roles, createdBy: createdBy ?? null },
  })
  return id
}
