import { TenantSettings } from '#lib/schemas/tenants.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { namesAt, rolesNamed } from '#server/kernel/auth/effective-roles.ts'
import type { FollowToken } from '#server/kernel/auth/external/follow-token.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { lockMember, setMember } from '../member-store.ts'
import { setMappedGroups, usableNames } from './mapped-groups.ts'
import { findMappedNames } from './mapping-store.ts'
import { setNewestToken } from './newest-token.ts'
import { listTokens, type StoredToken } from './token-store.ts'

/** So many groups of a token are remembered for the question who would get a seat by a new mapping. */
const maxShown = 200

/**
 * What a newer token of an external issuer says: which mapped groups of the provider its member is in and, with `rolesFrom: token`,
 * the roles. A change is written to the audit log. An older token changes nothing, so a role that a newer one took away stays away.
 */
export const followToken: FollowToken = (tenant, member, token, requestId) =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    const locked = await lockMember(tx, tenant.id, member.id)
    const known = await findMember(tx, tenant.id, token.issuer, locked?.subject ?? '')
    if (locked === undefined || known === undefined) throw new Error('unreachable: members are never deleted')
    const [newest] = await listTokens(tx, tenant.id, [member.id])
    if (known.status !== 'active' || (newest !== undefined && isOlder(token.issuedAt, newest))) return known
    const settings = TenantSettings.parse(known.settings)
    const groups = usableNames(namesAt(token.claims, settings.groupClaim))
    await setNewestToken(tx, {
      tenantId: tenant.id,
      memberId: member.id,
      issuedAt: new Date(token.issuedAt),
      groups: groups.slice(0, maxShown),
    })
    const resource = { type: 'member', id: member.id }

    const mapped = await findMappedNames(tx, tenant.id, token.issuer)
    const names = mapped.filter((name) => groups.includes(name))
    const change = await setMappedGroups(tx, tenant.id, { memberId: member.id, source: 'token', names })
    if (change.joined.length > 0 || change.left.length > 0)
      await appendAudit(tx, tenant, {
        actor: systemActor,
        action: 'member.groups_named',
        resource,
        reason: 'A newer token of the identity provider.',
        details: { ...change, source: 'token', issuer: token.issuer, claim: settings.groupClaim },
        requestId,
      })

    if (settings.rolesFrom !== 'token') return known
    const roles = rolesNamed(token, settings, known.kind)
    const before = known.roles
    if (roles.length === before.length && roles.every((role) => before.includes(role))) return known
    await setMember(tx, tenant.id, member.id, { roles })
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'member.roles_from_token',
      resource,
      reason: 'A newer token of the identity provider.',
      details: { before, after: roles, issuer: token.issuer, claim: settings.roleClaim },
      requestId,
    })
    return { ...known, roles }
  })

/** A token whose row lacks a mac is written again. */
const isOlder = (issuedAt: number, newest: StoredToken): boolean =>
  newest.mac === null ? issuedAt < newest.issuedAt.getTime() : issuedAt <= newest.issuedAt.getTime()
