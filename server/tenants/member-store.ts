import { type ExpressionBuilder, sql } from 'kysely'
import type { MemberStatus } from '#lib/schemas/members.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { DB } from '#server/kernel/db/schema.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { readSeats } from './provider/seat-store.ts'

const columns = [
  'id',
  'issuer',
  'subject',
  'kind',
  'username',
  'displayName',
  'email',
  'roles',
  'status',
  'revision',
  'createdAt',
] as const

type Row = { kind: string; status: string }
const typed = <T extends Row>(row: T) => ({ ...row, status: row.status as MemberStatus })

export type MemberRow = NonNullable<Awaited<ReturnType<typeof lockMember>>>

/** API keys are members in the audit log but are managed as secrets, so they are not listed here. */
const managed = ['person', 'service_account']

export async function lockMember(tx: Transaction, tenantId: string, id: string) {
  const row = await tx
    .selectFrom('members')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('kind', 'in', managed)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? undefined : typed(row)
}

export async function findMemberById(tx: Transaction, tenantId: string, id: string) {
  const row = await tx
    .selectFrom('members')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('kind', 'in', managed)
    .executeTakeFirst()
  return row === undefined ? undefined : typed(row)
}

export async function lockPrincipal(
  tx: Transaction,
  tenantId: string,
  { issuer, subject }: { issuer: string; subject: string },
) {
  const row = await tx
    .selectFrom('members')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? undefined : typed(row)
}

const revoking: readonly (MemberStatus | undefined)[] = ['suspended', 'removed']

/**
 * The caller holds the lock of the row. The database notifies open sockets and streams of the member; a suspension also
 * ends the member's current tokens.
 */
export async function setMember(
  tx: Transaction,
  tenantId: string,
  id: string,
  change: { status?: MemberStatus; roles?: string[] },
): Promise<void> {
  await tx
    .updateTable('members')
    .set((e) => ({
      ...change,
      ...(revoking.includes(change.status) ? { tokensNotBefore: new Date() } : {}),
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Sets the names of a member whose provider manages them. The caller holds the lock of the row. */
export async function setNames(
  tx: Transaction,
  tenantId: string,
  id: string,
  names: { username: string; displayName: string; email: string | null },
): Promise<void> {
  await tx
    .updateTable('members')
    .set((e) => ({ ...names, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Invalidates all access tokens that were issued to this member so far. */
export async function endTokens(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('members')
    .set({ tokensNotBefore: new Date() })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/**
 * The time before which access tokens of a principal are invalid, or null. It can't change until `tx` ends; waits for a
 * transaction that is changing the member.
 */
export async function lockTokensNotBefore(
  tx: Transaction,
  tenantId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<Date | null> {
  const row = await tx
    .selectFrom('members')
    .select('tokensNotBefore')
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forShare()
    .executeTakeFirst()
  return row?.tokensNotBefore ?? null
}

/** Active people with the role tenant_admin. */
export const findAdmins = (tx: Transaction, tenantId: string) => admins(tx, { tenantId })

const admins = fixedStatement({ tenantId: '' }, (tx, { tenantId }) =>
  tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('kind', '=', sql.lit('person'))
    .where('status', '=', sql.lit('active'))
    .where(sql<boolean>`'tenant_admin' = any(roles)`),
)

/** Active approvers, and those of them who have a passkey. */
export async function countApprovers(tx: Transaction, tenantId: string) {
  const [counted] = await approverCounts(tx, { tenantId })
  return { approvers: Number(counted?.approvers), withPasskey: Number(counted?.withPasskey) }
}

const approverCounts = fixedStatement({ tenantId: '' }, (tx, { tenantId }) =>
  tx
    .selectFrom('members')
    .select((e) => [
      e.fn.countAll<number>().as('approvers'),
      e.fn.countAll<number>().filterWhere(hasPasskey(e)).as('withPasskey'),
    ])
    .where('tenantId', '=', tenantId)
    .where('kind', '=', sql.lit('person'))
    .where('status', '=', sql.lit('active'))
    .where(sql<boolean>`'approver' = any(roles)`),
)

const hasPasskey = (e: ExpressionBuilder<DB, 'members'>) =>
  e.exists(
    e
      .selectFrom('passkeys as passkey')
      .select('passkey.id')
      .whereRef('passkey.tenantId', '=', 'members.tenantId')
      .whereRef('passkey.memberId', '=', 'members.id'),
  )

export async function listMembers(
  tx: Transaction,
  tenantId: string,
  filter: {
    status: MemberStatus | undefined
    kind: string | undefined
    control: 'open' | 'before' | undefined
    passkey: 'none' | undefined
  },
  limit: number,
  cursor: string | undefined,
) {
  let query = tx.selectFrom('members').select(columns).where('tenantId', '=', tenantId)
  query = filter.kind === undefined ? query.where('kind', 'in', managed) : query.where('kind', '=', filter.kind)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (cursor !== undefined) query = query.where('id', '>', cursor)
  if (filter.passkey === 'none')
    query = query
      .where('kind', '=', 'person')
      .where('status', '<>', 'removed')
      .where((e) => e.not(hasPasskey(e)))
  const { control } = filter
  if (control !== undefined)
    query = query
      .where('kind', '=', 'person')
      .where('status', '<>', 'removed')
      .where((e) => {
        const links = e
          .selectFrom('accountLinks as link')
          .select('link.id')
          .whereRef('link.issuer', '=', 'members.issuer')
          .whereRef('link.subject', '=', 'members.subject')
        if (control === 'open') return e.exists(links.where('link.provedAt', 'is', null))
        return e.not(
          e.exists(
            links.where((link) => link.or([link('link.proof', 'is', null), link('link.proof', '<>', 'before')])),
          ),
        )
      })
  return (await query.orderBy('id').limit(limit).execute()).map(typed)
}

/** Names of the approver groups of each of these members. */
export const findGroupNamesOf = (tx: Transaction, tenantId: string, memberIds: readonly string[]) =>
  groupNamesOf(tx, { tenantId, memberIds })

const groupNamesOf = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  tx
    .selectFrom(readSeats(tx, tenantId).as('link'))
    .innerJoin('approverGroups as g', 'g.id', 'link.groupId')
    .select(['link.memberId', 'g.displayName'])
    .where('g.tenantId', '=', tenantId)
    .where(sql<boolean>`link.member_id = any(${memberIds}::uuid[])`)
    .orderBy('g.name'),
)

/**
 * Whether a member who has not been removed has this user name or e-mail address; the caller serializes (lockNames).
 */
export const findNamesakes = (
  tx: Transaction,
  tenantId: string,
  { username, email }: { username: string; email: string },
) =>
  tx
    .selectFrom('members')
    .select(['id', 'username', 'email'])
    .where('tenantId', '=', tenantId)
    .where('status', '<>', 'removed')
    .where((where) => where.or([where('username', 'in', [username, email]), where('email', 'in', [username, email])]))
    .execute()
