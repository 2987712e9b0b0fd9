import { type Role, roleNames } from '#lib/permissions.ts'
import { guardedRoles } from '#lib/rules/members.ts'

/** Roles that a provider may give by SCIM: those of people that need no approval. A role with a colon is for machines. */
export const assignableRoles: readonly Role[] = roleNames.filter(
  (role) => !role.includes(':') && !guardedRoles.includes(role),
)

const assignable = new Set<string>(assignableRoles)

export const isAssignable = (role: string): boolean => assignable.has(role)

/** The roles of a member after its provider has named those that it gives: the others stay as they are. */
export const withAssigned = (current: readonly string[], given: readonly string[]): string[] => [
  ...current.filter((role) => !isAssignable(role)),
  ...assignableRoles.filter((role) => given.includes(role)),
]
