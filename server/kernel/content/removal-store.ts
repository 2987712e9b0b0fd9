import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * Lets one transaction at a time remove content of a tenant in bulk; the others wait until it ends. An erasure goes
 * through rows in the order of their keys, retention in the order in which they are stored: two of them on the same rows
 * would wait for each other. The first statement of such a transaction, before any row is locked.
 */
export async function lockRemoval(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`content removal\n${tenantId}`}, 0))`.execute(tx)
}

/** Keeps new legal holds waiting until the transaction ends, and waits for one that is being placed. */
export async function lockHolds(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`legal holds\n${tenantId}`}, 0))`.execute(tx)
}

/** Returns the ids of the tenant's holds that are not released. */
export async function listActiveHolds(tx: Transaction, tenantId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('legalHolds')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('releasedAt', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}
