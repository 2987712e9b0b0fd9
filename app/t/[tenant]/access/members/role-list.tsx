'use client'

import Link from 'next/link'
import { roleName } from '#components/access/permission-texts.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Member } from '#lib/schemas/members.ts'

export const RoleList = ({ roles }: { roles: readonly string[] }) => (
  <span>{roles.length === 0 ? 'None' : roles.map(roleName).join(', ')}</span>
)

/** That the roles are those of the newest token; `full` names the identity provider. */
export function RolesOrigin({
  member: { rolesFrom, tokenIssuedAt },
  full = false,
}: {
  member: Member
  full?: boolean
}) {
  if (rolesFrom === null) return null
  return (
    <span className="break-words text-dense text-ink-2">
      {tokenIssuedAt === null ? (
        'Set by the next token'
      ) : (
        <>
          From the token of <Time at={tokenIssuedAt} />
        </>
      )}
      {full && (
        <>
          , by <ShownText>{rolesFrom}</ShownText>
        </>
      )}
    </span>
  )
}

/** A reset that waits for approval, or for its requester to carry it out. */
export function PendingReset({ member: { pendingReset } }: { member: Member }) {
  const { tenant } = useSession()
  if (pendingReset === null) return null
  return (
    <span className="text-dense text-hold">
      Reset:{' '}
      <Link href={approvalPath(tenant, pendingReset.approvalId)} prefetch={false} className="text-link">
        {pendingReset.approved ? 'approved' : 'waits for approval'}
      </Link>
    </span>
  )
}

/** The requested roles, with a link to the request that waits for approval. */
export function PendingRoles({ member }: { member: Member }) {
  const { tenant } = useSession()
  if (member.pendingApprovalId === null) return null
  return (
    <span className="text-dense text-hold">
      {member.pendingRoles.map(roleName).join(', ')}:{' '}
      <Link href={approvalPath(tenant, member.pendingApprovalId)} prefetch={false} className="text-link">
        waits for approval
      </Link>
    </span>
  )
}
