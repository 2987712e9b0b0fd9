import { sql } from 'kysely'
import type { Branding, TenantSettings } from '#lib/schemas/tenants.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'

export async function insertTenant(
  tx: Transaction,
  row: {
    id: string
    slug: string
    externalId: string
    name: string
    displayName: string
    branding: Branding
    /** Only for a demo tenant, whom only the owner of the database creates. */
    clockBehind?: string
  },
): Promise<void> {
  await tx
    .insertInto('tenants')
    .values({ ...row, branding: json(row.branding) })
    .execute()
}

export const findTenantBySlug = (tx: Transaction, slug: string) =>
  tx.selectFrom('tenants').selectAll().where('slug', '=', slug).executeTakeFirst()

export const listTenants = (tx: Transaction) => tx.selectFrom('tenants').selectAll().orderBy('slug').execute()

export async function insertMember(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    issuer: string
    subject: string
    kind: 'person' | 'service_account'
    username: string
    displayName: string
    email: string | null
    roles: string[]
    status: 'active' | 'invited'
  },
): Promise<void> {
  await tx.insertInto('members').values(row).execute()
}

export async function insertSponsor(
  tx: Transaction,
  row: { tenantId: string; memberId: string; personId: string; link: 'created' | 'rotated' },
): Promise<void> {
  await tx.insertInto('memberSponsors').values(row).execute()
}

export const findMembers = (tx: Transaction, tenantId: string, ids: readonly string[]) =>
  membersById(tx, { tenantId, ids })

const membersById = fixedStatement({ tenantId: '', ids: [''] }, (tx, { tenantId, ids }) =>
  tx
    .selectFrom('members')
    .select(['id', 'username', 'displayName', 'kind', 'email', 'roles', 'status'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`id = any(${listOf(ids, 'uuid')})`),
)

/**
 * A person by e-mail address or user name, as a manifest names its owner. Never a machine: a client id can be chosen
 * freely and must not be mistaken for a person.
 */
export const findMemberByName = (tx: Transaction, tenantId: string, name: string) =>
  tx
    .selectFrom('members')
    .select(['id', 'username', 'displayName', 'kind'])
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'active')
    .where('kind', '=', 'person')
    .where((where) => where.or([where('email', '=', name), where('username', '=', name)]))
    .executeTakeFirst()

/** The people who created or rotated these members. */
export const findSponsors = (tx: Transaction, tenantId: string, memberIds: readonly string[]) =>
  sponsors(tx, { tenantId, memberIds })

const sponsors = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  readSponsors(tx, tenantId, memberIds),
)

/** The same as part of a larger statement. */
export const readSponsors = (tx: Transaction, tenantId: string, memberIds: readonly string[]) =>
  tx
    .selectFrom('memberSponsors as sponsor')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'sponsor.tenantId').onRef('member.id', '=', 'sponsor.memberId'),
    )
    .innerJoin('members as person', (join) =>
      join.onRef('person.tenantId', '=', 'sponsor.tenantId').onRef('person.id', '=', 'sponsor.personId'),
    )
    .select([
      'sponsor.memberId',
      'member.username as memberName',
      'sponsor.personId',
      'person.displayName as personName',
      'sponsor.link',
    ])
    .where('sponsor.tenantId', '=', tenantId)
    .where(sql<boolean>`sponsor.member_id = any(${memberIds}::uuid[])`)
    .orderBy('sponsor.createdAt')

/** Throws if the member does not exist. */
export const findMemberByUsername = (tx: Transaction, tenantId: string, username: string) =>
  tx
    .selectFrom('members')
    .select(['id', 'kind', 'issuer', 'subject', 'username', 'displayName', 'roles'])
    .where('tenantId', '=', tenantId)
    .where('username', '=', username)
    .executeTakeFirstOrThrow()

export const findTenantRevision = async (tx: Transaction, id: string): Promise<number> =>
  (await tx.selectFrom('tenants').select('revision').where('id', '=', id).executeTakeFirstOrThrow()).revision

/**
 * Locks the tenant's row until `tx` ends, so that changes to settings, branding and administrators run one after the
 * other.
 */
export const lockTenant = (tx: Transaction, id: string) =>
  tx
    .selectFrom('tenants')
    .select(['id', 'slug', 'externalId', 'name', 'displayName', 'branding', 'settings', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()

/** The caller holds the lock. Returns the new revision. */
export async function setTenant(
  tx: Transaction,
  id: string,
  change: { branding: Branding } | { settings: TenantSettings },
): Promise<number> {
  const row = await tx
    .updateTable('tenants')
    .set((e) => ({
      ...('branding' in change ? { branding: json(change.branding) } : { settings: json(change.settings) }),
      revision: e('revision', '+', 1),
    }))
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return row.revision
}

/** A principal's active memberships; `tx` must see them (withOwnMemberships). */
export function listMemberships(
  tx: Transaction,
  { issuer, subject }: { issuer: string; subject: string },
  limit: number,
  cursor: string | undefined,
) {
  let query = tx
    .selectFrom('members as member')
    .innerJoin('tenants as tenant', 'tenant.id', 'member.tenantId')
    .select(['tenant.id', 'tenant.externalId', 'tenant.name', 'tenant.displayName', 'tenant.branding', 'member.roles'])
    .where('member.issuer', '=', issuer)
    .where('member.subject', '=', subject)
    .where('member.status', '=', 'active')
  if (cursor !== undefined) query = query.where('tenant.id', '>', cursor)
  return query.orderBy('tenant.id').limit(limit).execute()
}
