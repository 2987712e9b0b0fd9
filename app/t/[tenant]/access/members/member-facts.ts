'use client'

import { useSession } from '#components/session/session-provider.tsx'
import type { MemberFacts } from '#lib/rules/members.ts'
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
  }
}
