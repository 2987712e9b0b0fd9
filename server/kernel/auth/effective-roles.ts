import type { JWTPayload } from 'jose'
import { type Role, roleNames } from '#lib/permissions.ts'
import { guardedRoles } from '#lib/rules/members.ts'
import { TenantSettings } from '#lib/schemas/tenants.ts'

/** What a token says about the roles of its subject, in the tenant that the token is for. */
export type TokenRoles = {
  issuer: string
  /** As the product's own realms name them. */
  roles: readonly string[]
  /** Of external issuers: the tenant's settings say which claims name roles and groups. */
  claims: JWTPayload | undefined
}

type Holder = { kind: string; roles: readonly string[] }
type RoleSettings = Pick<TenantSettings, 'rolesFrom' | 'roleClaim' | 'roleMapping'>

/** A longer claim is read up to here: no provider puts more names into a token. */
const maxNames = 2000

/**
 * The roles that count now, for every reader: those of the membership that the presented token also gives. The rule is the same with
 * `rolesFrom: token`: then each newer token sets the roles of the membership (server/tenants/provider/follow-token.ts), so that lists,
 * eligibility, delegations and jobs read them there. `token` is undefined for what carries no roles in this tenant: a guest's token,
 * a connection token, an API key.
 */
export function effectiveRoles(member: Holder, token: TokenRoles | undefined, settings: unknown): string[] {
  if (token === undefined) return [...member.roles]
  const named: readonly string[] =
    token.claims === undefined
      ? token.roles
      : rolesNamed({ ...token, claims: token.claims }, TenantSettings.parse(settings), member.kind)
  return member.roles.filter((role) => named.includes(role))
}

/**
 * The roles that a token of an external issuer names, by the claim and the mapping of the tenant. The names of our roles count as they
 * are. With `rolesFrom: token`, only the mapping, which change-approvers approve, gives a guarded role. No machine gets one.
 */
export function rolesNamed(
  { issuer, claims }: { issuer: string; claims: JWTPayload },
  { rolesFrom, roleClaim, roleMapping }: RoleSettings,
  kind: string,
): Role[] {
  const names = new Set(namesAt(claims, roleClaim))
  const mapped = new Set(
    roleMapping.filter((entry) => entry.issuer === issuer && names.has(entry.name)).map((entry) => entry.role),
  )
  return roleNames.filter((role) => {
    const isGuarded = guardedRoles.includes(role)
    if (isGuarded && kind !== 'person') return false
    return mapped.has(role) || (names.has(role) && !(isGuarded && rolesFrom === 'token'))
  })
}

/**
 * The names in a claim: a member of that name, which may contain dots, or a path of members joined by dots. A text, or the texts of a
 * list; anything else names nothing.
 */
export function namesAt(claims: JWTPayload, path: string): string[] {
  const value = own(claims, path) ?? path.split('.').reduce<unknown>(own, claims)
  const names = typeof value === 'string' ? [value] : Array.isArray(value) ? value.slice(0, maxNames) : []
  return names.filter((name) => typeof name === 'string')
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
