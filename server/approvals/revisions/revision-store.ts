import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

const columns = ['approvalId', 'requestedBy', 'reason', 'auditId', 'requestedAt', 'nextId'] as const

export async function insertRevision(
  tx: Transaction,
  row: { tenantId: string; approvalId: string; requestedBy: string; reason: string; auditId: string },
): Promise<void> {
  await tx.insertInto('approvalRevisions').values(row).execute()
}

/** The changes that a reviewer requested, if this is how the request ended. */
export const findRevision = (tx: Transaction, tenantId: string, approvalId: string) =>
  tx
    .selectFrom('approvalRevisions')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .executeTakeFirst()

/** The changes that led to this request. */
export const findRevisionBefore = (tx: Transaction, tenantId: string, nextId: string) =>
  tx
    .selectFrom('approvalRevisions')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('nextId', '=', nextId)
    .executeTakeFirst()

/** False if another request has followed already. */
export async function setRevised(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  { nextId, revisedBy }: { nextId: string; revisedBy: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('approvalRevisions')
    .set({ nextId, revisedBy, revisedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .where('nextId', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
