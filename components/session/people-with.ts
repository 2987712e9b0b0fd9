import { formatChoice } from '#components/language/formats.ts'
import * as t from '#components/texts/roles/en.ts'
import { type Permission, type Role, rolesWith } from '#lib/permissions.ts'

/** The roles to ask for. Those of machines, named like scopes, only if no other includes the permission. */
export function rolesToAskFor(permission: Permission): Role[] {
  const roles = rolesWith(permission)
  const ofPeople = roles.filter((role) => !role.includes(':'))
  return ofPeople.length === 0 ? roles : ofPeople
}

/** "a developer or an operator": the people whose roles include a permission. */
export const peopleWith = (permission: Permission): string =>
  formatChoice(rolesToAskFor(permission).map((role) => t.people({ role: keyOf(role) })))

/** "Developer, Approver". A role of a later version of the server is shown by its name. */
export const rolesText = (roles: readonly string[]): string =>
  roles.map((role) => t.named({ role: keyOf(role) })).join(', ')

/** Messages can't choose by a text with a colon. */
const keyOf = (role: string): string => role.replace(':', '_')
