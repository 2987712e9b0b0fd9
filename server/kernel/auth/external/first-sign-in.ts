import type { Role } from '#lib/permissions.ts'
import type { VerifiedToken } from '../bearer.ts'
import type { Tenant } from '../principal.ts'
import type { Member } from '../store.ts'
import type { NewMember } from './foreign-token.ts'

/**
 * Creates the membership of a person or service account that a trusted issuer authenticates, in a separate transaction.
 */
export type FirstSignIn = (
  tenant: Tenant,
  token: VerifiedToken,
  newcomer: NewMember & { roles: Role[] },
  requestId: string,
) => Promise<Member | undefined>

// Filled once by server/jobs.ts: the tenants domain owns members, and the kernel imports no domain.
let act: FirstSignIn | undefined

export function onFirstSignIn(signIn: FirstSignIn): void {
  act = signIn
}

export const signInFirst: FirstSignIn = (...call) => {
  if (act === undefined) throw new Error('No domain handles first sign-ins.')
  return act(...call)
}
