'use client'

import Link from 'next/link'
import { roleName } from '#components/access/permission-texts.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Member } from '#lib/schemas/members.ts'

export const RoleList = ({ roles }: { roles: readonly string[] }) => (
  <span>{roles.length === 0 ? t.none : roles.map(roleName).join(', ')}</span>
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
      {tokenIssuedAt === null ? t.setByNextToken : t.fromTokenOfTime({ at: () => <Time at={tokenIssuedAt} /> })}
      {full && <>{t.rolesBy({ rolesFrom, shown: shownText })}</>}
    </span>
  )
}

/** A reset that waits for approval, or for its requester to carry it out. */
export function PendingReset({ member: { pendingReset } }: { member: Member }) {
  const { tenant } = useSession()
  if (pendingReset === null) return null
  return (
    <span className="text-dense text-hold">
      {t.resetWaitsForApproval({
        approved: String(Boolean(pendingReset.approved)),
        link: (content) => (
          <Link href={approvalPath(tenant, pendingReset.approvalId)} prefetch={false} className="text-link">
            {content}
          </Link>
        ),
      })}
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
        {t.waitsForApproval}
      </Link>
    </span>
  )
}
