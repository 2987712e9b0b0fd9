import type { Transaction } from '#server/kernel/db/database.ts'

/** Returns the last archive that was completed, without `exportId`. */
export const findArchiveBefore = (tx: Transaction, tenantId: string, exportId: string) =>
  tx
    .selectFrom('evidenceExports')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '<>', exportId)
    .where('manifest', 'is not', null)
    .orderBy('endedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
