import { createRealm, createRealmUser, createServiceClient } from '#server/identity/realms/create-realm.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newSecret } from '#server/kernel/ids.ts'
import {
  addGroupMember,
  createGroup,
  createMember,
  createTenant,
  type NewTenant,
} from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import type { DemoClient, DemoUser } from './tenants.ts'

/** What the operator reads: the only place where the random passwords are. */
export type TenantCredentials = {
  slug: string
  externalId: string
  id: string
  users: { username: string; displayName: string; password: string; roles: string[] }[]
  clients: { clientId: string; clientSecret: string; roles: string[] }[]
}

export type DemoMembers = {
  mailDomain: string
  /** In addition to those that every tenant has. */
  groups: readonly { name: string; displayName: string }[]
  users: readonly DemoUser[]
  clients: readonly DemoClient[]
}

/** Creates a tenant with its realm; `tx` is bound to its id. */
export async function makeTenant(tx: Transaction, tenant: NewTenant): Promise<void> {
  await createTenant(tx, tenant)
  await createRealm(tx, tenant)
}

/** Gives a new tenant its people and programs, with random credentials; `tx` is bound to its id. */
export async function makeMembers(
  tx: Transaction,
  tenant: { id: string; slug: string; externalId: string },
  { mailDomain, groups, users, clients }: DemoMembers,
): Promise<TenantCredentials> {
  const groupIds = new Map<string, string>()
  for (const { name, displayName } of groups) groupIds.set(name, await createGroup(tx, tenant, name, displayName))
  const groupId = async (name: string): Promise<string> => {
    const id = groupIds.get(name) ?? (await findGroup(tx, tenant.id, name))?.id
    if (id === undefined) throw new Error(`The tenant does not have a group ${name}.`)
    groupIds.set(name, id)
    return id
  }
  const members = new Map<string, string>()
  const made: TenantCredentials = {
    slug: tenant.slug,
    externalId: tenant.externalId,
    id: tenant.id,
    users: [],
    clients: [],
  }
  for (const { username, displayName, roles, groups: seats } of users) {
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
    for (const name of seats) await addGroupMember(tx, tenant, await groupId(name), memberId)
    made.users.push({ username, displayName, password, roles })
  }
  for (const { clientId, displayName, roles, createdBy } of clients) {
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
    made.clients.push({ clientId, clientSecret, roles })
  }
  return made
}
