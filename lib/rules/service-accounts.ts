import { guardedRoles } from './members.ts'

const guarded = new Set<string>(guardedRoles)

/** Why a service account can't be created with these roles, or undefined when it can. */
export function whyNotCreate(roles: readonly string[]): string | undefined {
  const refused = roles.filter((role) => guarded.has(role))
  if (refused.length > 0)
    return `A service account can’t have the role ${refused.join(' or ')}, which is for people only.`
}

/**
 * Why a person with the roles `own` may not get a new secret of an account with `roles`, or undefined. The holder of the
 * secret can use the account, so it must not give them a guarded role that they don't have.
 */
export function whyNotRotate(roles: readonly string[], own: readonly string[]): string | undefined {
  const gained = roles.filter((role) => guarded.has(role) && !own.includes(role))
  if (gained.length > 0)
    return `With its secret you would have the role ${gained.join(' and ')}, which you don’t have yourself.`
}

/** The id that an account named `name` signs in with: lower-case letters, digits and hyphens. Empty if no such characters remain. */
export const clientIdOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, '')
