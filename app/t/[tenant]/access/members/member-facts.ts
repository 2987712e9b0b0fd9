'use client'

import { useSession } from '#components/session/session-provider.tsx'
import type { MemberFacts, VouchFacts } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'

/** Returns the facts that the rules of lib/rules/members.ts need about a member. */
export function useFacts(member: Member): MemberFacts {
  const { me } = useSession()
  return {
    kind: member.kind === 'person' ? 'person' : 'service_account',
    status: member.status,
    roles: member.roles,
    isCaller: member.id === me.principal.id,
    isLastAdmin: member.isLastAdmin,
    isForeign: member.isForeign,
    rolesFromToken: member.rolesFrom !== null,
  }
}

/** What this page knows of the facts for vouching; the server also knows whose accounts the caller invited or reset. */
export function vouchFacts(member: Member, callerId: string): VouchFacts {
  const { control, status, isForeign, linkExpiresAt } = member
  const countsAs = control?.countsAs ?? []
  const held = countsAs.find(({ id }) => id === callerId)
  return {
    kind: member.kind === 'person' ? 'person' : 'service_account',
    status,
    isForeign,
    hasOpenLink: linkExpiresAt !== null,
    awaits: countsAs.length > 0 ? 'proof' : control?.proof === 'before' ? 'review' : undefined,
    identityLink:
      member.id === callerId
        ? 'are the holder of this account'
        : held !== undefined
          ? `${held.kind} this account on ${held.at.slice(0, 10)}`
          : undefined,
  }
}
