import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export async function setParked(tx: Transaction, tenantId: string, executionIds: readonly string[]): Promise<void> {
  await sql`update approvals set parked_at = clock_timestamp()
    where tenant_id = ${tenantId} and execution_id = any(${[...executionIds]}::uuid[]) and status = 'pending'
      and parked_at is null and expires_at > clock_timestamp()`.execute(tx)
}

/** Extends the deadlines of requests by the time they were paused. */
export async function setResumed(
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
): Promise<{ id: string; expiresAt: Date }[]> {
  const { rows } = await sql<{ id: string; expiresAt: Date }>`
    update approvals set expires_at = expires_at + (clock_timestamp() - parked_at), parked_at = null
    where tenant_id = ${tenantId} and execution_id = any(${[...executionIds]}::uuid[]) and parked_at is not null
    returning id, expires_at as "expiresAt"`.execute(tx)
  return rows
}
