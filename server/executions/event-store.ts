import { decryptEventData } from '#server/executions/state/content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** The journal entries of an execution after `afterSeq`, in order. */
export async function findEvents(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  afterSeq: number,
  limit: number,
) {
  const rows = await tx
    .selectFrom('executionEvents')
    .select(['seq', 'type', 'stepId', 'data', 'createdAt'])
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, data: decryptEventData(cipher, { executionId, ...row }, row.data) }))
}
