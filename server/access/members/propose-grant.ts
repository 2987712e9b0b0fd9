import type { PendingChange } from '#lib/schemas/members.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { roleGrantPresentation } from '../changes/presentation.ts'
import { proposeChange } from '../changes/propose.ts'

type Person = {
  id: string
  username: string
  displayName: string
  email: string | null
  kind: string
  status: string
  roles: readonly string[]
}

/** Requests guarded roles for a member. Neither the caller nor the recipient can approve the request. */
export const proposeGrant = (
  tx: Transaction,
  caller: { tenant: Tenant; principal: Principal },
  member: Person,
  roles: readonly string[],
  reason: string | undefined,
): Promise<PendingChange> =>
  proposeChange(tx, caller, {
    kind: 'role_grant',
    subjectId: member.id,
    change: { roles: [...roles], rolesBefore: [...member.roles], address: member.email },
    presentation: roleGrantPresentation(member, roles, caller.principal.displayName, reason),
    parties: [{ memberId: member.id, link: 'would get these roles', role: 'would get these roles' }],
  })
