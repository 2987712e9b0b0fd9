import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { lockPrincipal, type MemberRow, setMember } from './member-store.ts'

/** A member who may set a password now, held until `tx` ends; undefined for one who was suspended or removed. */
export async function lockForPassword(
  tx: Transaction,
  tenantId: string,
  principal: { issuer: string; subject: string },
): Promise<MemberRow | undefined> {
  const member = await lockPrincipal(tx, tenantId, principal)
  return member?.status === 'invited' || member?.status === 'active' ? member : undefined
}

/** The member has set a password by a sign-in link: whoever was invited becomes active. */
export async function recordPassword(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  member: MemberRow,
  purpose: string,
): Promise<void> {
  const activated = member.status === 'invited'
  if (activated) await setMember(tx, tenant.id, member.id, { status: 'active' })
  await appendAudit(tx, tenant, {
    actor: { type: 'person', id: member.id, name: member.username },
    action: activated ? 'member.activated' : 'member.password_set',
    resource: { type: 'member', id: member.id },
    details: { by: 'sign_in_link', purpose },
  })
}
