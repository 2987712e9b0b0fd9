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

/** Serializes first sign-ins of one tenant until the transaction ends, so that unique names and the limit hold. */
export async function lockFirstSignIns(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`first sign-in ${tenantId}`}, 0))`.execute(tx)
}

/** Members with one of these as user name or address, including removed members, whose names are in the audit log. */
export const findNamesakes = (tx: Transaction, tenantId: string, username: string, email: string | undefined) => {
  const names = [username, ...(email === undefined ? [] : [email])].map((name) => name.toLowerCase())
  return tx
    .selectFrom('members')
    .select(['id', 'username', 'email'])
    .where('tenantId', '=', tenantId)
    .where((where) =>
      where.or([
        where(where.fn<string>('lower', ['username']), 'in', names),
        where(where.fn<string>('lower', ['email']), 'in', names),
      ]),
    )
    .execute()
}

/** The number of a tenant's members from one issuer, counted up to `limit`. */
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

export async function insertSignedIn(
  tx: Transaction,
  row: Row,
  status: 'active' | 'suspended' = 'active',
): Promise<void> {
  await tx
    .insertInto('members')
    .values({ ...row, status })
    .execute()
}
