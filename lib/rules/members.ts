import type { ErrorCode } from '#lib/errors.ts'
import type { Role } from '#lib/permissions.ts'
import type { MemberStatus } from '#lib/schemas/members.ts'

/** Roles that decide, unmask or administer: change-approvers approve each grant, and machines can't have them. */
export const guardedRoles: readonly Role[] = ['approver', 'privacy_officer', 'tenant_admin']
const guarded = new Set<string>(guardedRoles)

/** The facts about one member that determine whether an administrator may change it. */
export type MemberFacts = {
  kind: 'person' | 'service_account'
  status: MemberStatus
  roles: readonly string[]
  /** The caller, or a person behind the calling machine. */
  isCaller: boolean
  /** The only active person with the role tenant_admin. */
  isLastAdmin: boolean
  /** Signs in through another organisation's provider. */
  isForeign: boolean
}

export type Refusal = { code: ErrorCode; message: string }

const removed: Refusal = { code: 'conflict', message: 'This member has been removed.' }
const lastAdmin: Refusal = {
  code: 'last_admin',
  message: 'This is the last administrator of the tenant. Give another member the role tenant_admin first.',
}
const own = (what: string): Refusal => ({
  code: 'separation_of_duties',
  message: `You can’t change your own ${what}. Ask another administrator.`,
})

/** Splits the wanted roles of a member: `immediate` apply immediately, `proposed` require another person's approval. */
export function splitRoles(
  current: readonly string[],
  wanted: readonly string[],
): { immediate: string[]; proposed: string[] } {
  const needsApproval = (role: string) => guarded.has(role) && !current.includes(role)
  const distinct = [...new Set(wanted)]
  return { immediate: distinct.filter((role) => !needsApproval(role)), proposed: distinct.filter(needsApproval) }
}

export const holdsGuardedRole = (roles: readonly string[]): boolean => roles.some((role) => guarded.has(role))

export function whyNotSetRoles(member: MemberFacts, wanted: readonly string[]): Refusal | undefined {
  if (member.status === 'removed') return removed
  if (member.isCaller) return own('roles')
  const { proposed } = splitRoles(member.roles, wanted)
  if (member.kind === 'service_account' && proposed.length > 0)
    return {
      code: 'forbidden',
      message: `A service account can’t have the role ${proposed.join(' or ')}. Choose other roles.`,
    }
  if (member.isLastAdmin && !wanted.includes('tenant_admin')) return lastAdmin
}

export function whyNotSuspend(member: MemberFacts): Refusal | undefined {
  if (member.isCaller) return own('membership')
  if (member.isLastAdmin) return lastAdmin
  if (member.status !== 'active') return { code: 'conflict', message: `This member is ${member.status}, not active.` }
}

export function whyNotResume(member: MemberFacts): Refusal | undefined {
  if (member.isCaller) return own('membership')
  if (member.status !== 'suspended')
    return { code: 'conflict', message: `This member is ${member.status}, not suspended.` }
}

export function whyNotRemove(member: MemberFacts): Refusal | undefined {
  if (member.status === 'removed') return removed
  if (member.isCaller) return own('membership')
  if (member.isLastAdmin) return lastAdmin
}

export function whyNotResetPassword(member: MemberFacts): Refusal | undefined {
  if (member.isCaller) return own('password here')
  if (member.kind !== 'person')
    return { code: 'conflict', message: 'A service account does not have a password. Rotate its secret instead.' }
  if (member.isForeign)
    return {
      code: 'conflict',
      message: 'This member signs in through another organisation, which manages the password.',
    }
  if (member.status !== 'active' && member.status !== 'invited')
    return { code: 'conflict', message: `This member is ${member.status}.` }
}
