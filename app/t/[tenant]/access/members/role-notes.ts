import type { Role } from '#lib/permissions.ts'
import { guardedRoles, splitRoles } from '#lib/rules/members.ts'

/** Said at a role that a change approver has to grant. */
export const guardNote = (role: Role, current: readonly string[]): string | undefined =>
  guardedRoles.includes(role) && !current.includes(role)
    ? 'Waits until a change approver who is not you has approved it.'
    : undefined

/** The button's words: they say when something is only asked for. */
export const rolesLabel = (current: readonly string[], wanted: readonly string[], plain: string): string =>
  splitRoles(current, wanted).ask.length === 0 ? plain : `${plain} and ask for approval`
