import { type Permission, permissionsOf, rolesToAskFor } from '#lib/permissions.ts'
import { guardedRoles } from './members.ts'

/** Why something about a service account or its tokens is refused. `message`: in English, as the API returns it. */
export type AccountRefusal =
  | { why: 'guarded_role' | 'gained_role'; message: string; roles: readonly string[] }
  | { why: 'lacks_permission'; message: string; permission: Permission }
  | { why: 'agents_required' | 'agents_refused'; message: string }

const guarded = new Set<string>(guardedRoles)

/** Why a service account can't be created with these roles, or undefined when it can. */
export function whyNotCreate(roles: readonly string[]): AccountRefusal | undefined {
  const refused = roles.filter((role) => guarded.has(role))
  if (refused.length > 0)
    return {
      why: 'guarded_role',
      message: `A service account can’t have the role ${refused.join(' or ')}, which is for people only.`,
      roles: refused,
    }
}

/**
 * Why a person with the roles `own` may not get a new secret of an account with `roles`, or undefined. The holder of the
 * secret can use the account, so it must not give them a guarded role that they don't have.
 */
export function whyNotRotate(roles: readonly string[], own: readonly string[]): AccountRefusal | undefined {
  const gained = roles.filter((role) => guarded.has(role) && !own.includes(role))
  if (gained.length > 0)
    return {
      why: 'gained_role',
      message: `With its secret you would have the role ${gained.join(' and ')}, which you don’t have yourself.`,
      roles: gained,
    }
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

/**
 * The only permission that a token of each use can have, if its service account has it. A token for SCIM has none in this
 * API: provisioning has an API of its own.
 */
export const permissionOfUse = {
  telemetry: 'telemetry:write',
  gateway: 'execution:start',
  scim: undefined,
} as const satisfies Record<string, Permission | undefined>

export type ConnectionUseName = keyof typeof permissionOfUse

/** Days that a token is valid for, by default and at most. */
export const connectionTokenDays = { usual: 90, most: 365 } as const
/** The agents that one token can name. */
export const mostAgentsOfToken = 50

/** Why a token of this use can't be created for an account with these roles, or undefined when it can. */
export function whyNotConnect(use: ConnectionUseName, roles: readonly string[]): AccountRefusal | undefined {
  const needed = permissionOfUse[use]
  if (needed === undefined || permissionsOf(roles).has(needed)) return undefined
  return {
    why: 'lacks_permission',
    message: `The service account lacks the permission ${needed}, so the token could do nothing. Choose an account with the role ${rolesToAskFor(needed).join(' or ')}.`,
    permission: needed,
  }
}

/** Why these agents don't fit the use of a token, or undefined when they do. */
export function whyNotAgents(
  use: ConnectionUseName,
  agents: readonly string[] | undefined,
): AccountRefusal | undefined {
  if (use === 'gateway' && agents === undefined)
    return { why: 'agents_required', message: 'Required for a gateway token: name the agents that it may call for.' }
  if (use === 'scim' && agents !== undefined)
    return { why: 'agents_refused', message: 'A SCIM token does not concern agents. Leave them out.' }
}
