import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

type Row = {
  tenantId: string
  id: string
  issuer: string
  subject: string
  kind: 'person' | 'service_account'
  username: string
  displayName: string
  email: string | null
  roles: string[]
}

/** First sign-ins of one tenant go one after the other until the transaction ends, so that names and the bound hold. */
export async function lockFirstSignIns(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`first sign-in ${tenantId}`}, 0))`.execute(tx)
}

/** Who has one of these names, removed members included: their names stand in the log. */
export const findNamesakes = (tx: Transaction, tenantId: string, username: string, email: string | undefined) =>
  tx
    .selectFrom('members')
    .select(['username', 'email'])
    .where('tenantId', '=', tenantId)
    .where((where) =>
      where.or([
        where(where.fn<string>('lower', ['username']), '=', username.toLowerCase()),
        where(where.fn<string>('lower', ['email']), '=', email ?? ''),
      ]),
    )
    .execute()

/** How many members a tenant has of one issuer, counted up to `limit`. */
export async function countMembersOf(
  tx: Transaction,
  tenantId: string,
  issuer: string,
  limit: number,
): Promise<number> {
  const rows = await tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .limit(limit)
    .execute()
  return rows.length
}

export async function insertSignedIn(tx: Transaction, row: Row): Promise<void> {
  await tx
    .insertInto('members')
    .values({ ...row, status: 'active' })
    .execute()
}
