import { permissionsOf } from '#lib/permissions.ts'
import { redeemLink } from '#server/identity/links/sign-in-links.ts'
import { createRealm, createRealmUser } from '#server/identity/realms/create-realm.ts'
import { loadRealm } from '#server/identity/realms/realm.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { newId } from '#server/kernel/ids.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { addGroupMember, createGroup, createMember } from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { type TestTenant, testTenant } from './tenant.ts'

export type Organisation = Awaited<ReturnType<typeof organisation>>

/** A tenant with its realm, whose people have accounts there, as an operator or an invitation would create them. */
export async function organisation(runtime: Pick<Runtime, 'database'>) {
  const { database } = runtime
  const tenant: TestTenant = await testTenant(runtime)
  await database.inTenant(tenant.id, (tx) => createRealm(tx, tenant))
  const issuer = issuerOf(tenant.slug)

  const join = (memberId: string, groups: readonly string[]) =>
    database.inTenant(tenant.id, async (tx) => {
      for (const name of groups) {
        const group = await findGroup(tx, tenant.id, name)
        await addGroupMember(tx, tenant, group?.id ?? (await createGroup(tx, tenant, name, name)), memberId)
      }
    })
  /** The member as authentication would report them now. */
  const caller = async (memberId: string): Promise<Caller> => {
    const member = await database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('members')
        .select(['issuer', 'subject', 'kind', 'username', 'displayName', 'roles'])
        .where('tenantId', '=', tenant.id)
        .where('id', '=', memberId)
        .executeTakeFirstOrThrow(),
    )
    const kind = member.kind === 'person' ? 'person' : 'service_account'
    const permissions = permissionsOf(member.roles)
    const { as: _as, ...plain } = tenant
    return {
      tenant: plain,
      requestId: newId(),
      principal: { ...member, kind, memberId, permissions, expiresAt: Date.now() + 3_600_000 },
    }
  }
  /** What change-approvers would have approved: the roles, and a seat in these groups. */
  const appoint = async (memberId: string, roles: string[], groups: readonly string[]): Promise<Caller> => {
    await database.inTenant(tenant.id, (tx) =>
      tx.updateTable('members').set({ roles }).where('tenantId', '=', tenant.id).where('id', '=', memberId).execute(),
    )
    await join(memberId, groups)
    return await caller(memberId)
  }
  return {
    tenant,
    join,
    caller,
    appoint,
    /** A person whom the operator created. */
    async person(username: string, roles: string[], groups: readonly string[] = []): Promise<Caller> {
      const memberId = await database.inTenant(tenant.id, async (tx) => {
        const person = { username, displayName: username, email: `${username}@${tenant.slug}.example` }
        const { userId } = await createRealmUser(tx, tenant, person)
        return await createMember(tx, tenant, { ...person, issuer, subject: userId, kind: 'person', roles })
      })
      await join(memberId, groups)
      return await caller(memberId)
    },
    /** A person of another organisation, whom the operator joined to this one. */
    async guest({ principal }: Caller, roles: string[], groups: readonly string[]): Promise<Caller> {
      const { issuer, subject, displayName } = principal
      const memberId = await database.inTenant(tenant.id, (tx) =>
        createMember(tx, tenant, {
          issuer,
          subject,
          kind: 'person',
          username: `${displayName}-guest`,
          displayName,
          roles,
        }),
      )
      await join(memberId, groups)
      return await caller(memberId)
    },
    /** Opens a one-time link and sets a password. */
    async use(link: string): Promise<void> {
      const realm = await loadRealm(tenant.slug)
      const token = link.split('/').at(-1) ?? ''
      const used =
        realm !== undefined && (await database.inTenant(tenant.id, (tx) => redeemLink(tx, realm, token, 'a hash')))
      if (!used) throw new Error('The link does not work.')
    },
  }
}
