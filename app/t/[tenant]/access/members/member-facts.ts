'use client'

import type { Tie } from '#components/access/refusal-text.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { formatDay } from '#components/ui/text/time-format.ts'
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
  return {
    kind: member.kind === 'person' ? 'person' : 'service_account',
    status,
    isForeign,
    hasOpenLink: linkExpiresAt !== null,
    awaits: countsAs.length > 0 ? 'proof' : control?.proof === 'before' ? 'review' : undefined,
    // The words are those of `tieTo`.
    identityLink: tieTo(member, callerId) === undefined ? undefined : '',
  }
}

/** How the caller is tied to an account, as far as this page knows. */
export function tieTo({ id, control }: Member, callerId: string): Tie | undefined {
  if (id === callerId) return { kind: 'holder' }
  const held = control?.countsAs.find((one) => one.id === callerId)
  return held && { kind: held.kind, date: formatDay(new Date(held.at), 'UTC') }
}
