import * as t from '#components/texts/access-members/en.ts'
import type { Role } from '#lib/permissions.ts'
import { guardedRoles, splitRoles } from '#lib/rules/members.ts'

/** The note next to a role that a change approver has to grant. */
export const guardNote = (role: Role, current: readonly string[]): string | undefined =>
  guardedRoles.includes(role) && !current.includes(role) ? t.requiresApprovalOfChange : undefined

/** The label of the button. It shows whether the change is only requested. */
export const rolesLabel = (current: readonly string[], wanted: readonly string[], plain: string): string =>
  splitRoles(current, wanted).proposed.length === 0 ? plain : t.andRequestApproval({ plain })
