import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

/** The people whom a provider manages: members of its issuer who have not been removed. Machines are not among them. */
const people = (tx: Transaction, tenantId: string, issuer: string) =>
  tx
    .selectFrom('members as member')
    .leftJoin('provisionedMembers as sent', (join) =>
      join.onRef('sent.tenantId', '=', 'member.tenantId').onRef('sent.memberId', '=', 'member.id'),
    )
    .where('member.tenantId', '=', tenantId)
    .where('member.issuer', '=', issuer)
    .where('member.kind', '=', 'person')
    .where('member.status', '<>', 'removed')

/** The name of a person at the provider. Someone who signed in before is known by the name in the token. */
export const userName: RawBuilder<string> = sql<string>`coalesce(sent.user_name, member.username)`

const columns = [
  'member.id',
  'member.issuer',
  'member.subject',
  'member.username',
  'member.displayName',
  'member.email',
  'member.roles',
  'member.status',
  'member.createdAt',
  'member.tokensNotBefore',
  'member.revision',
  'sent.userName as sentUserName',
  'sent.displayName as sentDisplayName',
  'sent.name as sentName',
  'sent.emails as sentEmails',
  'sent.updatedAt',
  'sent.revision as sentRevision',
] as const

export type PersonRow = NonNullable<Awaited<ReturnType<typeof findPerson>>>

export const findPerson = (tx: Transaction, tenantId: string, issuer: string, id: string) =>
  people(tx, tenantId, issuer).select(columns).where('member.id', '=', id).executeTakeFirst()

export async function findPeople(
  tx: Transaction,
  tenantId: string,
  issuer: string,
  condition: Expression<SqlBool> | undefined,
  { offset, limit }: { offset: number; limit: number },
) {
  const found = people(tx, tenantId, issuer).$if(condition !== undefined, (q) =>
    q.where(condition ?? sql<boolean>`true`),
  )
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = limit === 0 ? [] : await found.select(columns).orderBy('member.id').offset(offset).limit(limit).execute()
  return { total: Number(total), rows }
}

/** Another person with this name, which providers compare without regard to case. */
export const findPersonNamed = (tx: Transaction, tenantId: string, issuer: string, name: string, exceptId?: string) =>
  people(tx, tenantId, issuer)
    .select('member.id')
    .where(sql<boolean>`lower(${userName}) = lower(${name})`)
    .$if(exceptId !== undefined, (q) => q.where('member.id', '<>', exceptId ?? ''))
    .executeTakeFirst()

/** A member of the issuer of any status, locked until the transaction ends. */
export const lockSubject = (tx: Transaction, tenantId: string, issuer: string, subject: string) =>
  tx
    .selectFrom('members')
    .select(['id', 'kind', 'status'])
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst()

export type Sent = { userName: string; displayName: string | null; name: JsonObject | null; emails: JsonObject[] }

/** Stores what the provider sent for a person, instead of what it sent before. */
export async function putSent(tx: Transaction, tenantId: string, memberId: string, sent: Sent): Promise<void> {
  const values = {
    userName: sent.userName,
    displayName: sent.displayName,
    name: sent.name === null ? null : json(sent.name),
    emails: json(sent.emails),
  }
  await tx
    .insertInto('provisionedMembers')
    .values({ tenantId, memberId, ...values })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'memberId']).doUpdateSet((e) => ({
        ...values,
        revision: e('provisionedMembers.revision', '+', 1),
        updatedAt: sql<Date>`clock_timestamp()`,
      })),
    )
    .execute()
}

export async function deleteSent(tx: Transaction, tenantId: string, memberId: string): Promise<void> {
  await tx.deleteFrom('provisionedMembers').where('tenantId', '=', tenantId).where('memberId', '=', memberId).execute()
}
