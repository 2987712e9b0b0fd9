import type { Member } from '#lib/schemas/members.ts'
import { findLinkEnds } from '#server/identity/links/link-store.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorOf } from '#server/tenants/actors.ts'
import { findAdmins, findGroupNamesOf, findMemberById, type MemberRow } from '#server/tenants/member-store.ts'
import { findProposed } from '../changes/store.ts'

type TenantRef = { id: string; slug: string }

/** Members as an administrator sees them, with pending changes. */
export async function memberViews(
  tx: Transaction,
  { id: tenantId, slug }: TenantRef,
  rows: readonly MemberRow[],
): Promise<Member[]> {
  const ids = rows.map((row) => row.id)
  const groups = await findGroupNamesOf(tx, tenantId, ids)
  const subjects = rows.filter((row) => row.kind === 'person').map((row) => row.subject)
  const ends = new Map(
    (await findLinkEnds(tx, tenantId, subjects.filter(isUuid))).map((row) => [row.userId, row.expiresAt]),
  )
  const grants = new Map((await findProposed(tx, tenantId, 'role_grant', ids)).map((row) => [row.subjectId, row]))
  const admins = await findAdmins(tx, tenantId)
  return rows.map((row) => {
    const grant = grants.get(row.id)
    const roles = grant?.change.roles
    return {
      ...actorOf(row),
      email: row.email,
      roles: row.roles,
      status: row.status,
      groups: groups.filter((group) => group.memberId === row.id).map((group) => group.displayName),
      linkExpiresAt: ends.get(row.subject)?.toISOString() ?? null,
      pendingRoles: Array.isArray(roles) ? roles.map(String) : [],
      pendingApprovalId: grant?.approvalId ?? null,
      isLastAdmin: admins.length === 1 && admins[0]?.id === row.id,
      isForeign: row.issuer !== issuerOf(slug),
      createdAt: row.createdAt.toISOString(),
      revision: row.revision,
    }
  })
}

/** The member's current state. */
export async function memberView(tx: Transaction, tenant: TenantRef, id: string): Promise<Member> {
  const row = await findMemberById(tx, tenant.id, id)
  const [view] = row === undefined ? [] : await memberViews(tx, tenant, [row])
  if (view === undefined) throw new Error('unreachable: members are never deleted')
  return view
}

/**
 * Subjects of external providers can be any text; those of Countersign's own provider are UUIDs, and only these people
 * have links.
 */
const isUuid = (text: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
