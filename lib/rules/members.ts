import type { ErrorCode } from '#lib/errors.ts'
import { permissionsOf, type Role } from '#lib/permissions.ts'
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
  /** Why the caller counts as this member, although it is another account, completing "You …". */
  identityLink?: string | undefined
  /** The only active person with the role tenant_admin. */
  isLastAdmin: boolean
  /** Signs in at an external identity provider, or at another organisation. */
  isForeign: boolean
  /** The tokens of an identity provider set the roles. */
  rolesFromToken: boolean
}

/** What the console has texts for in other languages than that of `message`. */
export const memberRefusals = [
  'removed',
  'vouch_people',
  'vouch_foreign',
  'vouch_identity',
  'vouch_proved',
  'vouch_open_link',
  'last_admin',
  'own_roles',
  'own_membership',
  'own_password',
  'identity',
  'token_roles',
  'machine_roles',
  'not_active',
  'not_suspended',
  'operator_only',
  'machine_password',
  'foreign_password',
  'no_password',
] as const

/** `message`: in English, as the API returns it. */
export type Refusal = {
  code: ErrorCode
  why: (typeof memberRefusals)[number]
  message: string
  status?: MemberStatus
}

/** The facts that determine whether the caller may vouch for an account. */
export type VouchFacts = {
  kind: 'person' | 'service_account'
  status: MemberStatus
  isForeign: boolean
  /** A one-time link that is not used yet, with which someone could still take the account. */
  hasOpenLink: boolean
  /** What a voucher would prove: an invitation or a reset, or an account from before such records existed. */
  awaits: 'proof' | 'review' | undefined
  /** Why the caller counts as the account or as the person who invited or reset it, completing "You …". */
  identityLink: string | undefined
}

/** Why the caller may not vouch for an account, or undefined. A voucher is neither the account's holder nor its link holder. */
export function whyNotVouch(account: VouchFacts): Refusal | undefined {
  if (account.status === 'removed') return removed
  if (account.kind !== 'person')
    return { code: 'conflict', why: 'vouch_people', message: 'People vouch for people, not for service accounts.' }
  if (account.isForeign)
    return {
      code: 'conflict',
      why: 'vouch_foreign',
      message:
        'This member signs in at another organisation or identity provider, whose administrators vouch for the account.',
    }
  if (account.identityLink !== undefined)
    return {
      code: 'separation_of_duties',
      why: 'vouch_identity',
      message: `You ${account.identityLink}, so another administrator must vouch for it.`,
    }
  if (account.awaits === undefined)
    return {
      code: 'conflict',
      why: 'vouch_proved',
      message: 'It is already proved that this person controls the account.',
    }
  if (account.hasOpenLink || account.status === 'invited')
    return {
      code: 'conflict',
      why: 'vouch_open_link',
      message: 'The one-time link is not used yet, so the account can still be taken with it. Vouch after it is used.',
    }
}

const removed: Refusal = { code: 'conflict', why: 'removed', message: 'This member has been removed.' }
const lastAdmin: Refusal = {
  code: 'last_admin',
  why: 'last_admin',
  message: 'This is the last administrator of the tenant. Give another member the role tenant_admin first.',
}

const own = { own_roles: 'roles', own_membership: 'membership', own_password: 'password here' }

/** No one changes their own membership, nor that of a person as whom they count. */
function whyOwn(
  { isCaller, identityLink }: MemberFacts,
  why: 'own_roles' | 'own_membership' | 'own_password',
): Refusal | undefined {
  const code = 'separation_of_duties'
  if (isCaller) return { code, why, message: `You can’t change your own ${own[why]}. Ask another administrator.` }
  if (identityLink !== undefined)
    return { code, why: 'identity', message: `You ${identityLink}. Ask another administrator.` }
}

/** Splits the wanted roles of a member: `immediate` apply immediately, `proposed` require another person's approval. */
export function splitRoles(
  current: readonly string[],
  wanted: readonly string[],
): { immediate: string[]; proposed: string[] } {
  const needsApproval = (role: string) => guarded.has(role) && !current.includes(role)
  const distinct = [...new Set(wanted)]
  return { immediate: distinct.filter((role) => !needsApproval(role)), proposed: distinct.filter(needsApproval) }
}

/**
 * Whether a second person has to approve a reset: the account has a guarded role, or may do something that the caller may not.
 * An account that was never used has only what the caller could give to any account that they invite.
 */
export function resetNeedsApproval(
  { roles, status }: { roles: readonly string[]; status: string },
  callerRoles: readonly string[],
): boolean {
  if (roles.some((role) => guarded.has(role))) return true
  const own = permissionsOf(callerRoles)
  return status !== 'invited' && [...permissionsOf(roles)].some((permission) => !own.has(permission))
}

export function whyNotSetRoles(member: MemberFacts, wanted: readonly string[]): Refusal | undefined {
  if (member.status === 'removed') return removed
  const self = whyOwn(member, 'own_roles')
  if (self !== undefined) return self
  if (member.rolesFromToken)
    return {
      code: 'external_identity',
      why: 'token_roles',
      message: 'The tokens of the identity provider set this member’s roles. Change the roles there.',
    }
  const { proposed } = splitRoles(member.roles, wanted)
  if (member.kind === 'service_account' && proposed.length > 0)
    return {
      code: 'forbidden',
      why: 'machine_roles',
      message: `A service account can’t have the role ${proposed.join(' or ')}. Choose other roles.`,
    }
  if (member.isLastAdmin && !wanted.includes('tenant_admin')) return lastAdmin
}

export function whyNotSuspend(member: MemberFacts): Refusal | undefined {
  const self = whyOwn(member, 'own_membership')
  if (self !== undefined) return self
  if (member.isLastAdmin) return lastAdmin
  if (member.status !== 'active')
    return {
      code: 'conflict',
      why: 'not_active',
      message: `This member is ${member.status}, not active.`,
      status: member.status,
    }
}

export function whyNotResume(member: MemberFacts): Refusal | undefined {
  const self = whyOwn(member, 'own_membership')
  if (self !== undefined) return self
  if (member.status !== 'suspended')
    return {
      code: 'conflict',
      why: 'not_suspended',
      message: `This member is ${member.status}, not suspended.`,
      status: member.status,
    }
}

export function whyNotRemove(member: MemberFacts): Refusal | undefined {
  if (member.status === 'removed') return removed
  const self = whyOwn(member, 'own_membership')
  if (self !== undefined) return self
  if (member.isLastAdmin) return lastAdmin
}

export function whyNotResetPassword(member: MemberFacts): Refusal | undefined {
  if (member.isLastAdmin)
    return {
      code: 'last_admin',
      why: 'operator_only',
      message:
        'Only the operator can reset the last administrator of the tenant, on the server: npm run tenant -- link.',
    }
  const self = whyOwn(member, 'own_password')
  if (self !== undefined) return self
  if (member.kind !== 'person')
    return {
      code: 'conflict',
      why: 'machine_password',
      message: 'A service account does not have a password. Rotate its secret instead.',
    }
  if (member.isForeign)
    return {
      code: 'conflict',
      why: 'foreign_password',
      message: 'This member signs in at another organisation or identity provider, which manages the password.',
    }
  if (member.status !== 'active' && member.status !== 'invited')
    return {
      code: 'conflict',
      why: 'no_password',
      message: `This member is ${member.status}.`,
      status: member.status,
    }
}
