import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { proveByMail } from './account-control.ts'
import { lockPrincipal, type MemberRow, setMember } from './member-store.ts'

/** A member who may set a password now, locked until `tx` ends; undefined for a suspended or removed member. */
export async function lockForPassword(
  tx: Transaction,
  tenantId: string,
  principal: { issuer: string; subject: string },
): Promise<MemberRow | undefined> {
  const member = await lockPrincipal(tx, tenantId, principal)
  return member?.status === 'invited' || member?.status === 'active' ? member : undefined
}

/** Records that the member changed their own password. */
export const recordChange = (
  tx: Transaction,
  tenant: { id: string; externalId: string },
  { id, username }: MemberRow,
): Promise<string> =>
  appendAudit(tx, tenant, {
    actor: { type: 'person', id, name: username },
    action: 'member.password_set',
    resource: { type: 'member', id },
    details: { by: 'current_password' },
  })

/** Records that the member set a password with a sign-in link, which activates an invited member. A link that was `mailed`
 * to their address may prove that they control the account. */
export async function recordPassword(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  member: MemberRow,
  { purpose, mailed }: { purpose: string; mailed: boolean },
): Promise<void> {
  const activated = member.status === 'invited'
  if (activated) await setMember(tx, tenant.id, member.id, { status: 'active' })
  if (mailed) await proveByMail(tx, tenant.id, member)
  await appendAudit(tx, tenant, {
    actor: { type: 'person', id: member.id, name: member.username },
    action: activated ? 'member.activated' : 'member.password_set',
    resource: { type: 'member', id: member.id },
    details: { by: 'sign_in_link', purpose, mailed },
  })
}
