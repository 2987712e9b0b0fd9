import { ApiError, notFound } from '#lib/errors.ts'
import type { MemberFacts, Refusal } from '#lib/rules/members.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { selvesOf } from '#server/tenants/identities.ts'
import { findAdmins, lockMember, type MemberRow } from '#server/tenants/member-store.ts'
import { rolesComeFromToken } from '#server/tenants/provider/roles-from.ts'
import { lockTenant } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'

type Target = { member: MemberRow; facts: MemberFacts }

/**
 * The member that an administrator acts on, locked until `tx` ends, with the data that the rules need. The tenant is
 * locked too, so that when two administrators remove each other, the second one counts as the last. Throws 404 and 409.
 */
export async function lockTarget(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  { id, expectedRevision }: { id: string; expectedRevision?: number | undefined },
): Promise<Target> {
  const locked = await lockTenant(tx, tenant.id)
  const member = await lockMember(tx, tenant.id, id)
  if (member === undefined) throw notFound()
  if (expectedRevision !== undefined && expectedRevision !== member.revision)
    throw new ApiError('revision_conflict', 'The member changed after you opened it. Reload it and try again.', {
      details: { revision: member.revision },
    })
  const selves = (await selvesOf(tx, tenant.id, [principal.memberId]))(principal.memberId)
  // An administrator manages the accounts that they invited; these accounts don't manage the administrator.
  const holder = selves.counterparts.find((one) => one.as === 'holder' && one.memberId === member.id)
  const admins = await findAdmins(tx, tenant.id)
  return {
    member,
    facts: {
      kind: member.kind === 'person' ? 'person' : 'service_account',
      status: member.status,
      roles: member.roles,
      isCaller: selves.people.includes(member.id),
      identityLink: holder?.link('would be changed'),
      isLastAdmin: admins.length === 1 && admins[0]?.id === member.id,
      isForeign: member.issuer !== issuerOf(tenant.slug),
      rolesFromToken: rolesComeFromToken(settingsOf(locked), member),
    },
  }
}

/** Records a refusal by the rules in the audit log as an attempt. */
export function stopWhen(refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw refuse(refusal.code, refusal.message)
}
